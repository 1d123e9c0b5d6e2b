export * from '../harness/certificates.ts';
export * from './connect-proxy.ts';
export * as faults from './faults.ts';
export * from './job-record.ts';
export * from './scripted-service.ts';
export { bareServer, createGate } from './sockets.ts';
