import { describe, it } from 'vitest';
import type { Fault } from '../helpers/faults.ts';
import {
  chunkings,
  closing,
  codings,
  fields,
  interims,
  lengths,
  statusLines,
} from '../helpers/legal-responses.ts';
import { faults, type ServiceOptions } from '../helpers/servers.ts';
import { local, play, success } from './faults-scenario.ts';

// unit/http/legal-responses.test.ts has each of them in pieces of any size; these are the real runs.

/** Runs the action against a service that answers the create so. */
async function expectJob(fault: Fault, transport: ServiceOptions = {}): Promise<void> {
  const started = { ...success, outcome: 'started' };
  await play({ create: [{ fault }] }, started, { inputs: { wait: 'false' } }, transport);
}

describe.concurrent('a legal response to the create yields the job', () => {
  it.each(statusLines.slice(2, 4))('with %s', (_, bytes) => expectJob(faults.write(bytes)));
  it.each(fields.slice(0, 2))('with %s', (_, bytes) => expectJob(faults.write(bytes)));
  it.each(codings)('with %s', (_, bytes) => expectJob(faults.write(bytes)));
  it.each(lengths)('with %s', (_, bytes) => expectJob(faults.write(bytes)));
  it.each(closing.slice(0, 1))('with %s, ended by the close', (_, bytes) =>
    expectJob(faults.writeAndClose(bytes)),
  );
  it.each(chunkings.slice(4, 6))('chunked %s', (_, bytes) => expectJob(faults.write(bytes)));
  it.each(interims)('after %s', (_, bytes) => expectJob(faults.write(bytes)));
  it.each(interims.slice(0, 1))('after %s, over TLS', (_, bytes) =>
    expectJob(faults.write(bytes), { tls: local }),
  );
});
