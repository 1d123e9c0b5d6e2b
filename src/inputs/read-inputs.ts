import { InputError } from '../errors.ts';
import type { JobRequest } from '../service/job.ts';
import { code, type Message, message } from '../text/message.ts';
import type { PathPattern } from '../text/path-pattern.ts';
import { holdsSecret } from '../text/redact.ts';
import { INPUT_DEFAULTS } from './defaults.ts';
import type { Reuse } from './parsers.ts';
import * as parse from './parsers.ts';
import { readPromptFile } from './prompt-file.ts';
import { findUnknownInputs } from './unknown-inputs.ts';

export interface Inputs {
  readonly projectId: string;
  readonly apiKey: string;
  readonly baseUrl: URL;
  readonly request: JobRequest;
  readonly wait: boolean;
  readonly timeoutMs: number;
  readonly pollIntervalMs: number;
  readonly releaseContext: boolean;
  readonly reuse: Reuse;
  readonly dryRun: boolean;
  /** `release-tag`, or the tag of the event. */
  readonly tag: string | undefined;
  readonly paths: readonly PathPattern[] | undefined;
}

type InputName = keyof typeof INPUT_DEFAULTS;
type Given = Readonly<{ [Name in InputName]?: string | undefined }>;

/** The inputs by name, in the order of action.yml. */
export const INPUT_NAMES = Object.keys(INPUT_DEFAULTS) as readonly InputName[];

/** Returns a trimmed input, or undefined if it is blank, like `getInput` of @actions/core. */
export function getInput(env: NodeJS.ProcessEnv, name: InputName): string | undefined {
  return env[`INPUT_${name.toUpperCase()}`]?.trim() || undefined;
}

/**
 * Reads the inputs and the prompt file. Throws an `InputError` with all problems, which never
 * quotes a secret.
 */
export function readInputs(
  env: NodeJS.ProcessEnv,
  { eventTag, isWithoutSecrets }: { eventTag: string | undefined; isWithoutSecrets: boolean },
): Inputs {
  const texts = INPUT_NAMES.map((name) => [
    name,
    getInput(env, name) || INPUT_DEFAULTS[name] || undefined,
  ]);
  const given: Given = Object.fromEntries(texts);
  const problems = findConflicts(given, eventTag, isWithoutSecrets);

  function read<T>(name: InputName, parseText: (text: string) => T): T | undefined {
    const text = given[name];
    try {
      return text === undefined ? undefined : parseText(refuseSecret(name, text, given));
    } catch (error) {
      if (!(error instanceof InputError)) {
        throw error;
      }
      problems.push(...error.problems.map((sentence) => message`${code(name)} ${sentence}`));
      return undefined;
    }
  }

  const prompt = read('prompt', parse.parsePrompt);
  const filePrompt = read('prompt-file', (path) => {
    const text = readPromptFile(env['GITHUB_WORKSPACE'] ?? process.cwd(), path);
    return parse.parsePrompt(refuseSecret('prompt-file', text, given));
  });
  const required = {
    projectId: read('project-id', parse.parseProjectId),
    apiKey: read('api-key', parse.parseApiKey),
    baseUrl: read('base-url', parse.parseBaseUrl),
    request: createRequest(read('job-id', parse.parseJobId), prompt ?? filePrompt),
    wait: read('wait', parse.parseBoolean),
    timeoutMs: read('timeout-minutes', parse.parseTimeout),
    pollIntervalMs: read('poll-interval-seconds', parse.parsePollInterval),
    releaseContext: read('release-context', parse.parseBoolean),
    reuse: read('reuse', parse.parseReuse),
    dryRun: read('dry-run', parse.parseBoolean),
  };
  const tag = read('release-tag', parse.parseTag) ?? eventTag;
  const paths = read('paths', parse.parsePaths);
  read('github-token', parse.parseToken);

  for (const { name, meant } of findUnknownInputs(env, INPUT_NAMES)) {
    const names = meant.map(code).reduce((first, next) => message`${first} or ${next}`);
    problems.push(
      message`${code(name)} is not an input of this action: did you mean ${names}? Correct it, or
        rename the variable ${code(`INPUT_${name.toUpperCase()}`)}.`,
    );
  }
  if (problems.length > 0 || !isComplete(required)) {
    throw new InputError(problems);
  }
  return { ...required, tag, paths };
}

function isComplete<T extends object>(
  values: T,
): values is { [K in keyof T]: Exclude<T[K], undefined> } {
  return !Object.values(values).includes(undefined);
}

/**
 * Secrets that may appear only in their own input. A key has a digit, mixed case, or no separator
 * in its first 16 characters, unlike words such as `mint_authority_account`.
 */
const SECRETS = [
  {
    owner: 'api-key',
    kind: 'an API key',
    form: /[Mm][Ii][Nn][Tt][-_](?:[A-Za-z]{16}|(?=[\w-]{0,15}\d|[\w-]{0,14}[a-z][A-Z])[\w-]{16})/,
  },
  { owner: 'github-token', kind: 'a GitHub token', form: /(?:gh[oprsu]_|github_pat_)\w{16}/ },
] as const;

/**
 * Returns the text of an input that is sent or shown. Rejects a text that contains a secret in any
 * form.
 */
function refuseSecret(name: InputName, text: string, given: Given): string {
  const found = SECRETS.find(
    ({ owner, form }) =>
      name !== owner &&
      name !== 'api-key' &&
      (form.test(text) || holdsSecret(text, given[owner] ?? '')),
  );
  return found === undefined ? text : parse.refuse`contains ${found.kind}: remove it.`;
}

/** Finds missing inputs, and combinations of inputs that don't work. */
function findConflicts(
  given: Given,
  eventTag: string | undefined,
  isWithoutSecrets: boolean,
): Message[] {
  const problems = findMissing(given, isWithoutSecrets);
  if (given.prompt !== undefined && given['prompt-file'] !== undefined) {
    problems.unshift(
      message`${code('prompt')} and ${code('prompt-file')} are both set: keep one of them.`,
    );
  }
  if (given.paths !== undefined && given['job-id'] !== undefined) {
    problems.push(message`${code('paths')} and ${code('job-id')} are both set: keep one of them.`);
  }
  return [...problems, ...findTagProblems(given, eventTag)];
}

function findMissing(given: Given, isWithoutSecrets: boolean): Message[] {
  const problems: Message[] = [];
  if ((given.prompt ?? given['prompt-file'] ?? given['job-id']) === undefined) {
    problems.push(
      message`${code('prompt')} is missing: set ${code('prompt')} or ${code('prompt-file')}. To wait
        for an existing job, set ${code('job-id')}.`,
    );
  }
  if (given['project-id'] === undefined) {
    problems.push(
      message`${code('project-id')} is missing: copy the project id from the API keys page of your
        dashboard. If it comes from a variable, check that the variable is defined for this
        repository.`,
    );
  }
  if (given['api-key'] === undefined) {
    const advice = isWithoutSecrets
      ? message`Dependabot and pull requests from forks don't get Actions secrets. Skip the step
          in such runs.`
      : message`pass a secret that contains an admin API key. If you already do, check the name of
          the secret.`;
    problems.push(message`${code('api-key')} is missing: ${advice}`);
  }
  return problems;
}

function findTagProblems(given: Given, eventTag: string | undefined): Message[] {
  const { 'job-id': jobId, 'release-tag': tag } = given;
  const user = findTagUser(given);
  if (user !== undefined && (tag ?? eventTag) === undefined) {
    return [
      message`${code(user)} needs a tag, but this run has no tag. Set ${code('release-tag')}, or run
        on a tag.`,
    ];
  }
  if (user === undefined && tag !== undefined && jobId === undefined) {
    return [
      message`${code('release-tag')} is set, but nothing uses it: set ${code('release-context')} to
        ${code('true')}, or remove ${code('release-tag')}.`,
    ];
  }
  return [];
}

/** Returns an input that needs a tag. */
function findTagUser(given: Given): string | undefined {
  const isNew = given['job-id'] === undefined;
  const hasPrompt = (given.prompt ?? given['prompt-file']) !== undefined;
  const hasFacts = /^(?:true|True|TRUE)$/.test(given['release-context'] ?? '');
  if (hasFacts && (isNew || hasPrompt)) {
    return 'release-context';
  }
  if (isNew && given.reuse === 'release') {
    return 'reuse: release';
  }
  return given.paths === undefined ? undefined : 'paths';
}

function createRequest(
  jobId: string | undefined,
  prompt: string | undefined,
): JobRequest | undefined {
  if (jobId === undefined) {
    return prompt === undefined ? undefined : { kind: 'create', prompt };
  }
  return prompt === undefined ? { kind: 'attach', jobId } : { kind: 'follow-up', jobId, prompt };
}
