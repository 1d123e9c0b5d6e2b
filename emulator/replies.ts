import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JobRecord, Reply } from './behavior.ts';

/** Answers a request as the reply says; `record` is what the service would answer, if anything. */
export async function writeReply(
  response: ServerResponse,
  reply: Reply,
  record: JobRecord | undefined,
): Promise<void> {
  if (reply.delayMs !== undefined) await sleep(reply.delayMs, undefined, { ref: false });
  switch (reply.kind) {
    case 'proper':
      response
        .writeHead(reply.status ?? 200, { 'content-type': 'application/json; charset=utf-8' })
        .end(JSON.stringify({ ...record, ...reply.fields }));
      break;
    case 'written':
      response.writeHead(reply.status, reply.headers).end(reply.body);
      break;
    case 'dropped':
      if (reply.by === 'reset') response.socket?.resetAndDestroy();
      if (reply.by === 'close') response.destroy();
      break;
    case 'custom':
      reply.answer(response, record);
      break;
  }
}
