import type { ServerResponse } from 'node:http';
import type { JobRecord, Reply } from './behavior.ts';

/** Answers a request with the reply. `record` is the record of the service, if any. */
export function writeReply(
  response: ServerResponse,
  reply: Reply,
  record: JobRecord | undefined,
): void {
  switch (reply.kind) {
    case 'proper':
      response
        .writeHead(reply.status ?? 200, { 'content-type': 'application/json; charset=utf-8' })
        .end(JSON.stringify(record));
      break;
    case 'written':
      response.writeHead(reply.status, reply.headers).end(reply.body);
      break;
    case 'reset':
      response.socket?.resetAndDestroy();
      break;
  }
}
