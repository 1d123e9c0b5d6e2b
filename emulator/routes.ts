import { Refusal } from './replies.ts';

/** The call of a request, with the ids in its path decoded. */
export type Route =
  | { readonly call: 'create'; readonly projectId: string }
  | { readonly call: 'get' | 'follow-up'; readonly projectId: string; readonly jobId: string };

const base = '/v2/agent/(?<projectId>[^/]+)/job';
const routes = [
  { call: 'create', method: 'POST', path: new RegExp(`^${base}$`) },
  { call: 'get', method: 'GET', path: new RegExp(`^${base}/(?<jobId>[^/]+)$`) },
  { call: 'follow-up', method: 'POST', path: new RegExp(`^${base}/(?<jobId>[^/]+)/message$`) },
] as const;

/** The three calls, for people. */
export const callNames = [
  'POST /v2/agent/{projectId}/job',
  'GET /v2/agent/{projectId}/job/{id}',
  'POST /v2/agent/{projectId}/job/{id}/message',
];

/** Returns the call for a method and request target; throws a `Refusal` if there is none. */
export function toRoute(method: string, target: string): Route {
  const path = target.split('?', 1)[0] ?? '';
  for (const route of routes.filter((candidate) => candidate.method === method)) {
    const groups = route.path.exec(path)?.groups;
    if (groups === undefined) {
      continue;
    }
    const projectId = decodeSegment(groups['projectId']);
    if (route.call === 'create') {
      return { call: route.call, projectId };
    }
    return { call: route.call, projectId, jobId: decodeSegment(groups['jobId']) };
  }
  throw new Refusal(404, 'Not found; GET / names the calls');
}

function decodeSegment(segment = ''): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new Refusal(404, 'Not found');
  }
}
