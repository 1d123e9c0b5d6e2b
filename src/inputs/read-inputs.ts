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
} from './parsers.ts';
import { readPromptFile } from './prompt-file.ts';
import { findUnknownInputs, type UnknownInput } from './unknown-inputs.ts';

/** Where a job to wait for is looked for: in earlier attempts, also in other runs for the tag, or nowhere. */
export type ReuseScope = 'rerun' | 'release' | 'never';

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
  /** What is worth a line in the log, but not an error. */
  readonly notes: readonly Message[];
}

/** The inputs by name, in the order of action.yml. */
export const INPUT_NAMES = [
  'prompt',
  'prompt-file',
  'project-id',
  'api-key',
  'base-url',
  'job-id',
  'wait',
  'timeout-minutes',
  'poll-interval-seconds',
  'release-context',
  'release-tag',
  'reuse',
  'paths',
  'github-token',
  'check-run-id',
  'dry-run',
] as const;

type InputName = (typeof INPUT_NAMES)[number];
type Env = Readonly<Record<string, string | undefined>>;
type Given = Readonly<Partial<Record<InputName, string>>>;

/**
 * Returns an input as the runner hands it over, without the white space around it, or undefined if it is blank. The
 * same rule as `getInput` of @actions/core, which is too large to load before the job is created.
 */
export function getInput(env: Env, name: InputName): string | undefined {
  return env[`INPUT_${name.toUpperCase()}`]?.trim() || undefined;
}

/**
 * Reads the inputs of the step. `eventTag` is the tag that the run is about. Throws an `InputError` that lists every
 * problem and never quotes a secret. `prompt-file` is read here, so that nothing is sent without it.
 */
export function readInputs(env: Env, eventTag: string | undefined): Inputs {
  const given = readGiven(env);
  const problems: Message[] = [];

  function read<T>(name: InputName, parse: (text: string) => T | Problem): T | undefined {
    const text = given[name];
    const value = text === undefined ? REQUIRED[name] : parse(text);
    if (value instanceof Problem) {
      problems.push(message`${code(name)} ${value.sentence}`);
      return undefined;
    }
    return value;
  }

  const prompt = read('prompt', parsePrompt);
  const filePrompt = read('prompt-file', (path) =>
    readPromptFile(env['GITHUB_WORKSPACE'] ?? process.cwd(), path, MAX_PROMPT_BYTES),
  );
  problems.push(...findPromptProblems(given));
  const projectId = read('project-id', parseProjectId);
  const apiKey = read('api-key', parseApiKey);
  const baseUrl = read('base-url', parseBaseUrl);
  const jobId = read('job-id', parseJobId);
  const wait = read('wait', parseBoolean);
  const timeoutMs = read('timeout-minutes', parseTimeout);
  const pollIntervalMs = read('poll-interval-seconds', parsePollInterval);
  const releaseContext = read('release-context', parseBoolean);
  const releaseTag = read('release-tag', parseTag);
  const reuse = read('reuse', parseReuse);
  const paths = read('paths', parsePaths);
  read('github-token', parseToken);
  const dryRun = read('dry-run', parseBoolean);

  const request = createRequest(jobId, given['prompt-file'] === undefined ? prompt : filePrompt);
  const tag = releaseTag ?? eventTag;
  const hasPrompt = (given.prompt ?? given['prompt-file']) !== undefined;
  const unknown = findUnknownInputs(env, INPUT_NAMES);
  problems.push(
    ...findReleaseProblems(given, {
      hasTag: tag !== undefined,
      releaseContext: releaseContext === true && hasPrompt,
      reuse: reuse === 'release' && given['job-id'] === undefined,
      isUsed: releaseContext === true || reuse === 'release',
    }),
    ...findSecrets({ ...given, ...(filePrompt === undefined ? {} : { 'prompt-file': filePrompt }) }),
    ...unknown.flatMap(describeMisspelled),
  );
  const values = {
    request,
    projectId,
    apiKey,
    baseUrl,
    wait,
    dryRun,
    releaseContext,
    reuse,
    timeoutMs,
    pollIntervalMs,
  };
  if (problems.length > 0 || !isComplete(values)) {
    throw new InputError(problems);
  }
  return {
    ...values,
    release: tag === undefined ? undefined : { tag, isNamed: releaseTag !== undefined },
    paths,
    notes: unknown.map(({ name }) => message`${code(name)} is not an input of this action, and is ignored`),
  };
}

/** What is said where an input without a default is not set. */
const REQUIRED: Readonly<Partial<Record<InputName, Problem>>> = {
  'project-id': new Problem(
    message`is missing: copy the project id from the API keys page of your dashboard. If it comes from a variable, check that the variable is defined for this repository.`,
  ),
  'api-key': new Problem(
    message`is missing: pass a secret that holds an admin API key. Secrets are empty in runs of forks and of Dependabot, and if their name is misspelled.`,
  ),
};

function isComplete<T extends object>(values: T): values is { [K in keyof T]: Exclude<T[K], undefined> } {
  return !Object.values(values).includes(undefined);
}

function readGiven(env: Env): Given {
  return {
    ...INPUT_DEFAULTS,
    ...Object.fromEntries(
      INPUT_NAMES.flatMap((name) => {
        const value = getInput(env, name);
        return value === undefined ? [] : [[name, value]];
      }),
    ),
  };
}

function findPromptProblems(given: Given): Message[] {
  if (given.prompt !== undefined && given['prompt-file'] !== undefined) {
    return [message`${code('prompt')} and ${code('prompt-file')} are both set: keep one of them.`];
  }
  return (given.prompt ?? given['prompt-file'] ?? given['job-id']) === undefined
    ? [
        joinMessages(
          message`${code('prompt')} is missing: say what the agent should do, in ${code('prompt')} or in a file named by ${code('prompt-file')}.`,
          message`To wait for an existing job, set ${code('job-id')}.`,
        ),
      ]
    : [];
}

function describeMisspelled({ name, meant }: UnknownInput): Message[] {
  return meant === undefined
    ? []
    : [
        message`${code(name)} is not an input of this action: did you mean ${code(meant)}? If it is an environment variable, rename it.`,
      ];
}

interface ReleaseUses {
  readonly hasTag: boolean;
  readonly releaseContext: boolean;
  readonly reuse: boolean;
  /** True if an input that needs a tag is set, even where `job-id` makes it idle. */
  readonly isUsed: boolean;
}

function findReleaseProblems(
  given: Given,
  { hasTag, releaseContext, reuse, isUsed }: ReleaseUses,
): Message[] {
  const problems: Message[] = [];
  const hasPaths = given.paths !== undefined;
  if (hasPaths && given['job-id'] !== undefined) {
    problems.push(message`${code('paths')} and ${code('job-id')} are both set: keep one of them.`);
  }
  if (given['release-tag'] !== undefined) {
    return isUsed || hasPaths
      ? problems
      : [
          ...problems,
          message`${code('release-tag')} is set, but nothing uses it: set ${code('release-context')} to ${code('true')}, or remove ${code('release-tag')}.`,
        ];
  }
  const user = releaseContext ? 'release-context' : reuse ? 'reuse: release' : hasPaths ? 'paths' : undefined;
  return hasTag || user === undefined
    ? problems
    : [
        ...problems,
        message`${code('release-tag')} is missing: ${code(user)} needs a tag, and this run is not about one. Name a tag, or run on one.`,
      ];
}

function createRequest(jobId: string | undefined, prompt: string | undefined): JobRequest | undefined {
  if (jobId === undefined) {
    return prompt === undefined ? undefined : { kind: 'create', prompt };
  }
  return prompt === undefined ? { kind: 'attach', jobId } : { kind: 'follow-up', jobId, prompt };
}

/** Inputs that hold, in any form, a secret which has an input of its own: they are sent and shown, the secret never is. */
function findSecrets(given: Given): Message[] {
  const { 'api-key': apiKey = '', 'github-token': token = '', ...others } = given;
  const find = (secret: string, kind: string, inputs: Given): Message[] =>
    Object.entries(inputs)
      .filter(([, value]) => holdsSecret(value, secret))
      .map(([name]) => message`${code(name)} holds the ${kind}: take it out.`);
  return [
    ...find(apiKey, 'API key', { ...others, 'github-token': token }),
    ...find(token, 'GitHub token', others),
  ];
}
