import type { ApiRequest, Payload, Problem } from './endpoint.ts';
import { readPage, toPage } from './pages.ts';
import { type Addresses, epoch, type Schemas, toId, toUser } from './payloads.ts';
import type { CommitStatus, Repository } from './repository.ts';

const STATES = ['error', 'failure', 'pending', 'success'] as const;
const MAX_DESCRIPTION = 140;
/** The user of a workflow's own token. */
const BOT = 'github-actions[bot]';

/** Handles `POST /repos/{owner}/{repo}/statuses/{sha}`. */
export function createStatus(request: ApiRequest, sha = ''): Payload | Problem {
  const { repository, addresses, statuses, dialect } = request;
  const fields = readFields(request.body);
  if ('message' in fields) return fields;
  const { context = 'default', description = null, target_url: targetUrl = null } = fields;
  const problem = dialect === 'gitea' ? undefined : findProblem(sha, fields);
  if (problem !== undefined) return problem;
  if (findCommit(repository, sha) !== sha) return toUnknown(sha);
  const state = STATES.find((one) => one === fields.state) ?? 'pending';
  const status = statuses.add(repository, sha, { state, context, description, targetUrl });
  const body = toPayload(request, sha, status);
  return { status: 201, headers: { location: `${addresses.api}/statuses/${sha}` }, body };
}

/** Handles `GET /repos/{owner}/{repo}/commits/{ref}/statuses`. */
export function listStatuses(request: ApiRequest, ref = ''): Payload | Problem {
  const { repository, statuses, dialect } = request;
  const sha = findCommit(repository, ref);
  if (sha === undefined) return toUnknown(ref);
  const list = statuses.list(repository, sha, readPage(request).page === 1);
  // Gitea sorts by the second of the creation only.
  if (dialect === 'gitea') list.sort((a, b) => getTime(b).localeCompare(getTime(a)));
  else list.reverse();
  return { body: toPage(list, request).map((status) => toPayload(request, sha, status)) };
}

interface Fields {
  readonly state?: string;
  readonly context?: string;
  readonly description?: string | null;
  readonly target_url?: string | null;
}

function readFields(body: string): Fields | Problem {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return { status: 400, message: 'Problems parsing JSON' };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { status: 400, message: 'Body should be a JSON object' };
  }
  for (const [name, field] of Object.entries(value)) {
    if (typeof field === 'string' || field === null) continue;
    const message = `Invalid request.\n\nFor 'properties/${name}', ${JSON.stringify(field)} is not a string.`;
    return { status: 422, message };
  }
  return value;
}

function findProblem(
  sha: string,
  { state, description, target_url: targetUrl }: Fields,
): Problem | undefined {
  const errors = [
    { field: 'sha', message: 'must be a 40 character SHA1', isMet: /^[0-9a-f]{40}$/i.test(sha) },
    {
      field: 'state',
      message: 'is not included in the list',
      isMet: STATES.some((one) => one === state),
    },
    {
      field: 'description',
      message: `is too long (maximum is ${MAX_DESCRIPTION} characters)`,
      isMet: [...(description ?? '')].length <= MAX_DESCRIPTION,
    },
    {
      field: 'target_url',
      message: 'must use http(s) scheme',
      isMet: /^https?:\/\//i.test(targetUrl ?? 'https://'),
    },
  ].flatMap(({ field, message, isMet }) =>
    isMet ? [] : [{ resource: 'Status', code: 'custom', field, message: `${field} ${message}` }],
  );
  return errors.length === 0 ? undefined : { status: 422, message: 'Validation Failed', errors };
}

/** The commit of a sha, branch, or tag. */
function findCommit({ commits, tags, branches }: Repository, ref: string): string | undefined {
  const name = ref.replace(/^(?:heads|tags)\//, '');
  const known = [...commits, ...tags].map(({ sha }) => sha).concat(Object.values(branches));
  return (
    branches[name] ?? tags.find((tag) => tag.name === name)?.sha ?? known.find((sha) => sha === ref)
  );
}

function toUnknown(ref: string): Problem {
  return /^[0-9a-f]{40}$/.test(ref)
    ? { status: 422, message: `No commit found for SHA: ${ref}` }
    : { status: 404, message: 'Not Found' };
}

function getTime({ createdAt = epoch }: CommitStatus): string {
  return createdAt;
}

function toPayload(
  { addresses, repository, dialect }: ApiRequest,
  sha: string,
  status: CommitStatus,
) {
  return dialect === 'gitea'
    ? toGiteaStatus(addresses, sha, status, repository)
    : toStatus(addresses, sha, status);
}

function toStatus(addresses: Addresses, sha: string, status: CommitStatus): Schemas['status'] {
  const { id, state = 'success', description = null, targetUrl = null, creator = BOT } = status;
  const user = toUser(addresses, creator);
  return {
    url: `${addresses.api}/statuses/${sha}`,
    avatar_url: user.avatar_url,
    id,
    node_id: `SC_${id}`,
    state,
    description,
    target_url: targetUrl,
    context: status.context ?? 'default',
    created_at: getTime(status),
    updated_at: getTime(status),
    creator: user,
  };
}

/** Its id is the number of the status among the statuses of its commit. */
function toGiteaStatus(
  { root, api }: Addresses,
  sha: string,
  status: CommitStatus,
  { statuses }: Repository,
) {
  const { state = 'success', description, targetUrl, creator = 'gitea-actions' } = status;
  const id = (statuses[sha] ?? []).filter((other) => other.id <= status.id).length;
  const web = new URL(root).origin;
  return {
    id,
    status: state,
    target_url: targetUrl ?? '',
    description: description ?? '',
    url: `${api}/statuses/${sha}`,
    context: status.context ?? 'default',
    creator: {
      id: toId(creator),
      login: creator,
      username: creator,
      full_name: '',
      email: `${creator}@noreply.example.com`,
      avatar_url: `${web}/avatars/${creator}`,
      html_url: `${web}/${creator}`,
    },
    created_at: getTime(status),
    updated_at: getTime(status),
  };
}
