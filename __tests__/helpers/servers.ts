export * from '../../harness/certificates.ts';
export * from './connect-proxy.ts';
export * from './fault-server.ts';
export * as faults from './faults.ts';
export * from './job-record.ts';
export * from './scripted-service.ts';
export {
  closeServers,
  createGate,
  type Listener,
  type ListenOptions,
  reservePort,
} from './sockets.ts';
