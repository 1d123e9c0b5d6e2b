import { createServer } from 'node:http';
import { jobRecord } from './job-record.ts';
import { listen } from './sockets.ts';

/**
 * What the service does with a job request. `hold`: it starts a job, but never responds. `lose`: it
 * starts none, and never responds.
 */
export type Create = 'accept' | 'refuse' | 'hold' | 'lose';

/**
 * Starts a service that handles job requests in this order, and accepts all later ones. Its jobs
 * stay active, unless the test changes `statuses`.
 */
export async function jobService(creates: readonly Create[] = []) {
  const statuses = new Map<string, string>();
  let requests = 0;
  const server = createServer((request, response) => {
    const reply = (status: number, body: object): void => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    };
    const id = request.url?.split('/').at(-1) ?? '';
    if (request.method === 'GET') {
      const status = statuses.get(id);
      if (status === undefined) {
        reply(404, { error: 'not found' });
      } else {
        reply(200, jobRecord({ id, status }));
      }
      return;
    }
    const create = creates[requests] ?? 'accept';
    requests += 1;
    const jobId = `job_${requests}`;
    if (create === 'accept' || create === 'hold') {
      statuses.set(jobId, 'active');
    }
    if (create === 'accept') {
      reply(201, jobRecord({ id: jobId }));
    }
    if (create === 'refuse') {
      reply(400, { error: 'not now' });
    }
  });
  const { port } = await listen(server);
  return {
    url: `http://127.0.0.1:${port}`,
    /** The status of each job. */
    statuses,
    /** The number of job requests. */
    get requests() {
      return requests;
    },
  };
}
