import { InputError } from '../errors.ts';
import type { JobRequest } from '../job/job.ts';
import type { Release } from '../state.ts';
import { code, joinMessages, type Message, message } from '../text/message.ts';
import type { PathPattern } from '../text/path-pattern.ts';
import { holdsSecret } from '../text/redact.ts';
import { INPUT_DEFAULTS } from './defaults.ts';
import {
  MAX_PROMPT_BYTES,
  Problem,
  parseApiKey,
  parseBaseUrl,
  parseBoolean,
  parseJobId,
  parsePaths,
  parsePollInterval,
  parseProjectId,
  parsePrompt,
  parseReuse,
  parseTag,
  parseTimeout,
  parseToken,
  problem,
  type ReuseScope,
} from './parsers.ts';
import { readPromptFile } from './prompt-file.ts';
import { findUnknownInputs, type UnknownInput } from './unknown-inputs.ts';

export interface Inputs {
  readonly request: JobRequest;
  readonly projectId: string;
  readonly apiKey: string;
  readonly baseUrl: URL;
  readonly wait: boolean;
  readonly dryRun: boolean;
  readonly release: Release | undefined;
  readonly releaseContext: boolean;
  readonly reuse: ReuseScope;
  readonly paths: readonly PathPattern[] | undefined;
  readonly timeoutMs: number;
  readonly pollIntervalMs: number;
  /** Lines for the log that are not errors. */
  readonly notes: readonly Message[];
}

type InputName = keyof typeof INPUT_DEFAULTS;
type Given = Readonly<{ [Name in InputName]?: string | undefined }>;

/** The inputs by name, in the order of action.yml. */
export const INPUT_NAMES = Object.keys(INPUT_DEFAULTS) as readonly InputName[];

/**
 * Returns an input as the runner hands it over, without the white space around it, or undefined if it is blank. The
 * same rule as `getInput` of @actions/core, which is too large to load before the job is created.
 */
export function getInput(env: NodeJS.ProcessEnv, name: InputName): string | undefined {
  return env[`INPUT_${name.toUpperCase()}`]?.trim() || undefined;
}

/**
 * Reads the inputs of the step. `eventTag` is the tag of the run. Throws an `InputError` that lists every
 * problem and never quotes a secret. `prompt-file` is read here, so that nothing is sent without it.
 */
export function readInputs(env: NodeJS.ProcessEnv, eventTag: string | undefined): Inputs {
  const given = readGiven(env);
  const problems: Message[] = [];

  function read<T>(name: InputName, parse: (text: string) => T | Problem): T | undefined {
    const text = given[name];
    const value = text === undefined ? REQUIRED[name] : (findSecret(name, text, given) ?? parse(text));
    if (value instanceof Problem) {
      problems.push(message`${code(name)} ${value.sentence}`);
      return undefined;
    }
    return value;
  }

  const prompt = read('prompt', parsePrompt);
  const filePrompt = read('prompt-file', (path) => {
    const text = readPromptFile(env['GITHUB_WORKSPACE'] ?? process.cwd(), path, MAX_PROMPT_BYTES);
    return text instanceof Problem ? text : (findSecret('prompt-file', text, given) ?? parsePrompt(text));
  });
  problems.push(...findPromptProblems(given));
  const values = {
    projectId: read('project-id', parseProjectId),
    apiKey: read('api-key', parseApiKey),
    baseUrl: read('base-url', parseBaseUrl),
    request: createRequest(read('job-id', parseJobId), prompt ?? filePrompt),
    wait: read('wait', parseBoolean),
    timeoutMs: read('timeout-minutes', parseTimeout),
    pollIntervalMs: read('poll-interval-seconds', parsePollInterval),
    releaseContext: read('release-context', parseBoolean),
    reuse: read('reuse', parseReuse),
    dryRun: read('dry-run', parseBoolean),
  };
  const releaseTag = read('release-tag', parseTag);
  const paths = read('paths', parsePaths);
  // Used elsewhere, and only checked here.
  read('github-token', parseToken);
  const unknown = findUnknownInputs(env, INPUT_NAMES);
  problems.push(...findTagProblems(given, values, eventTag), ...unknown.flatMap(describeMeant));
  if (problems.length > 0 || !isComplete(values)) {
    throw new InputError(problems);
  }
  const tag = releaseTag ?? eventTag;
  return {
    ...values,
    release: tag === undefined ? undefined : { tag, isNamed: releaseTag !== undefined },
    paths,
    notes: unknown.map(({ name }) => message`${code(name)} is not an input of this action, and is ignored`),
  };
}

/** Errors for missing required inputs. */
const REQUIRED: Readonly<Partial<Record<InputName, Problem>>> = {
  'project-id': problem`is missing: copy the project id from the API keys page of your dashboard. If it comes from a variable, check that the variable is defined for this repository.`,
  'api-key': problem`is missing: pass a secret that contains an admin API key. Secrets are empty in runs of forks and of Dependabot, and if their name is misspelled.`,
};

function isComplete<T extends object>(values: T): values is { [K in keyof T]: Exclude<T[K], undefined> } {
  return !Object.values(values).includes(undefined);
}

function readGiven(env: NodeJS.ProcessEnv): Given {
  return Object.fromEntries(
    INPUT_NAMES.map((name) => [name, getInput(env, name) ?? (INPUT_DEFAULTS[name] || undefined)]),
  );
}

/**
 * The secrets, each with its input and a pattern that only secrets match. A key is told from words, such as
 * `mint_authority_account`, by what its first 16 characters have: a digit, an upper-case letter after a lower-case one, or
 * no hyphen or underscore. A key that is made of short lower-case groups is taken for words.
 */
const SECRETS = [
  {
    owner: 'api-key',
    kind: 'an API key',
    form: /[Mm][Ii][Nn][Tt][-_](?:[A-Za-z]{16}|(?=[\w-]{0,15}\d|[\w-]{0,14}[a-z][A-Z])[\w-]{16})/,
  },
  { owner: 'github-token', kind: 'a GitHub token', form: /(?:gh[oprsu]_|github_pat_)\w{16}/ },
] as const;

/** Finds a secret, in any form, in an input that is sent or shown. Those are all but the two inputs for secrets. */
function findSecret(name: InputName, text: string, given: Given): Problem | undefined {
  const found = SECRETS.find(
    ({ owner, form }) =>
      name !== owner && name !== 'api-key' && (form.test(text) || holdsSecret(text, given[owner] ?? '')),
  );
  return found && problem`contains ${found.kind}: remove it.`;
}

function findPromptProblems(given: Given): Message[] {
  if (given.prompt !== undefined && given['prompt-file'] !== undefined) {
    return [message`${code('prompt')} and ${code('prompt-file')} are both set: keep one of them.`];
  }
  if ((given.prompt ?? given['prompt-file'] ?? given['job-id']) !== undefined) {
    return [];
  }
  const missing = message`${code('prompt')} is missing: set ${code('prompt')} or ${code('prompt-file')}.`;
  return [joinMessages(missing, message`To wait for an existing job, set ${code('job-id')}.`)];
}

function findTagProblems(
  given: Given,
  { releaseContext, reuse }: { releaseContext: boolean | undefined; reuse: ReuseScope | undefined },
  eventTag: string | undefined,
): Message[] {
  const isAttached = given['job-id'] !== undefined;
  const hasPrompt = (given.prompt ?? given['prompt-file']) !== undefined;
  const needsTag = {
    'release-context': releaseContext === true && (hasPrompt || !isAttached),
    'reuse: release': reuse === 'release' && !isAttached,
    paths: given.paths !== undefined,
  };
  const [user] = Object.entries(needsTag).find(([, isNeeded]) => isNeeded) ?? [];
  const problems: Message[] = [];
  if (needsTag.paths && isAttached) {
    problems.push(message`${code('paths')} and ${code('job-id')} are both set: keep one of them.`);
  }
  if (user === undefined && given['release-tag'] !== undefined && !isAttached) {
    problems.push(
      message`${code('release-tag')} is set, but nothing uses it: set ${code('release-context')} to ${code('true')}, or remove ${code('release-tag')}.`,
    );
  }
  if (user !== undefined && (given['release-tag'] ?? eventTag) === undefined) {
    problems.push(
      message`${code(user)} needs a tag, but this run has no tag. Set ${code('release-tag')}, or run on a tag.`,
    );
  }
  return problems;
}

function describeMeant({ name, meant: [first, ...others] }: UnknownInput): Message[] {
  const also = others.flatMap((other) => message` or ${code(other)}`);
  return first === undefined
    ? []
    : [
        message`${code(name)} is not an input of this action: did you mean ${code(first)}${also}? If it is an environment variable, rename it.`,
      ];
}

function createRequest(jobId: string | undefined, prompt: string | undefined): JobRequest | undefined {
  if (jobId === undefined) {
    return prompt === undefined ? undefined : { kind: 'create', prompt };
  }
  return prompt === undefined ? { kind: 'attach', jobId } : { kind: 'follow-up', jobId, prompt };
}
