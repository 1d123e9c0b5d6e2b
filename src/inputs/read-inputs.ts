import { NEVER, object, optional, pipe, safeParse, string, transform } from 'zod/mini';
import { readEventTag } from '../github/context.ts';
import type { Release } from '../github/release/range.ts';
import { createRedactor, MIN_KEY_LENGTH } from '../text/redact.ts';
import { parseUrl } from '../text/sanitize.ts';
import { INPUT_DEFAULTS } from './defaults.ts';
import {
  PROMPT_LIMIT,
  Problem,
  parseApiKey,
  parseBaseUrl,
  parseBoolean,
  parseJobId,
  parseNumber,
  parseProjectId,
  parsePrompt,
  parseTag,
  parseToken,
} from './parsers.ts';
import { PromptFileError, readPromptFile } from './prompt-file.ts';

/** What the run is to do: start a job, wait for one that exists, or send one that exists a follow-up. */
export type JobRequest =
  | { readonly kind: 'create'; readonly prompt: string }
  | { readonly kind: 'attach'; readonly jobId: string }
  | { readonly kind: 'follow-up'; readonly jobId: string; readonly prompt: string };

export interface Inputs {
  readonly intent: JobRequest;
  readonly projectId: string;
  readonly apiKey: string;
  readonly baseUrl: URL;
  readonly isWaiting: boolean;
  readonly isDryRun: boolean;
  /** The release whose facts are appended to the prompt; undefined where none are wanted. */
  readonly release: Release | undefined;
  /** Whether a re-run waits for the job of an earlier attempt. */
  readonly isReusing: boolean;
  readonly timeoutMs: number;
  readonly pollIntervalMs: number;
}

/** Every problem of the inputs at once, each a sentence that names the input and the remedy. */
export class InputError extends Error {
  override readonly name = 'InputError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.problems = problems;
  }
}

type Env = Readonly<Record<string, string | undefined>>;

/**
 * An input as the runner hands it over, without the white space around it; undefined when blank. The same
 * rule as `getInput` of @actions/core, which is too large to load before the job is started.
 */
export function getInput(env: Env, name: string): string | undefined {
  return env[`INPUT_${name.replaceAll(' ', '_').toUpperCase()}`]?.trim() || undefined;
}

const schema = object({
  prompt: parsed(parsePrompt),
  'prompt-file': optional(string()),
  'project-id': required(
    parseProjectId,
    'is missing: copy the project id from the API keys page of your dashboard.',
  ),
  'api-key': required(
    parseApiKey,
    'is missing: pass a secret that holds an admin API key. Secrets are empty in runs of forks and of ' +
      'Dependabot, and when their name is misspelt.',
  ),
  'base-url': required(parseBaseUrl),
  'job-id': parsed(parseJobId),
  wait: required(parseBoolean),
  'timeout-minutes': required((text) =>
    parseNumber(text, (minutes) => minutes > 0 && minutes <= 360, 'more than 0, at most 360'),
  ),
  'poll-interval-seconds': required((text) =>
    parseNumber(text, (seconds) => seconds >= 1 && seconds <= 300, 'from 1 to 300'),
  ),
  'release-context': required(parseBoolean),
  'release-tag': parsed(parseTag),
  'reuse-on-rerun': required(parseBoolean),
  'github-token': parsed(parseToken),
  'dry-run': required(parseBoolean),
});

/** The inputs that are read, in the order of action.yml. */
export const INPUT_NAMES: readonly string[] = Object.keys(schema.shape);

/**
 * The typed inputs in the environment of a step. Throws an `InputError` that lists every problem; no
 * problem quotes the key. `prompt-file` is read here, so that nothing is sent without it.
 */
export function readInputs(env: Env): Inputs {
  const given: Record<string, string | undefined> = { ...INPUT_DEFAULTS };
  for (const name of INPUT_NAMES) {
    given[name] = getInput(env, name) ?? given[name];
  }
  const result = safeParse(schema, given);
  const problems = (result.error?.issues ?? []).map(
    ({ path, message }) => `\`${String(path[0])}\` ${message}`,
  );
  const prompt = readPrompt(given['prompt'], given['prompt-file'], given['job-id'], env, problems);
  const hasPrompt = given['prompt'] !== undefined || given['prompt-file'] !== undefined;
  const release = hasPrompt
    ? findRelease(given['release-context'], given['release-tag'], env, problems)
    : undefined;
  const promptName = given['prompt-file'] === undefined ? 'prompt' : 'prompt-file';
  const { 'github-token': token = '', ...others } = { ...given, [promptName]: prompt };
  problems.push(...findKeyProblems(others), ...findHolders(token, 'GitHub token', others));
  if (!result.success || problems.length > 0) {
    throw new InputError(problems);
  }
  const { data } = result;
  return {
    intent: toIntent(data['job-id'], prompt),
    projectId: data['project-id'],
    apiKey: data['api-key'],
    baseUrl: data['base-url'],
    isWaiting: data.wait,
    isDryRun: data['dry-run'],
    release,
    isReusing: data['reuse-on-rerun'],
    timeoutMs: data['timeout-minutes'] * 60_000,
    pollIntervalMs: data['poll-interval-seconds'] * 1000,
  };
}

function parsed<T>(parse: (text: string) => T | Problem) {
  return optional(pipe(string(), toTransform(parse)));
}

function required<T>(parse: (text: string) => T | Problem, missing = 'is missing.') {
  return pipe(string({ error: () => missing }), toTransform(parse));
}

function toTransform<T>(parse: (text: string) => T | Problem) {
  return transform((text: string, context): T => {
    const value = parse(text);
    if (value instanceof Problem) {
      context.issues.push({ code: 'custom', message: value.sentence, input: text });
      return NEVER;
    }
    return value;
  });
}

function readPrompt(
  prompt: string | undefined,
  file: string | undefined,
  jobId: string | undefined,
  env: Env,
  problems: string[],
): string | undefined {
  if (prompt !== undefined && file !== undefined) {
    problems.push('`prompt` and `prompt-file` are both set: keep one of them.');
    return undefined;
  }
  if (file === undefined) {
    if (prompt === undefined && jobId === undefined) {
      problems.push(
        '`prompt` is missing: say what the agent should do, in `prompt` or in a file named by `prompt-file`. ' +
          'To wait for a job that exists, set `job-id`.',
      );
    }
    return prompt;
  }
  try {
    return readPromptFile(env['GITHUB_WORKSPACE'] ?? process.cwd(), file, PROMPT_LIMIT);
  } catch (error) {
    if (!(error instanceof PromptFileError)) {
      throw error;
    }
    problems.push(`\`prompt-file\` ${error.message}`);
    return undefined;
  }
}

/** Facts are appended to a prompt, so without one there is no release to look for. */
function findRelease(
  wanted: string | undefined,
  named: string | undefined,
  env: Env,
  problems: string[],
): Release | undefined {
  if (wanted === undefined || parseBoolean(wanted) !== true) {
    return undefined;
  }
  const tag = named?.replace(/^refs\/tags\//, '') ?? readEventTag(env);
  if (tag === undefined) {
    problems.push(
      '`release-tag` is missing: this run is not about a tag, so name the one that `release-context` describes, or ' +
        'run on a tag.',
    );
    return undefined;
  }
  return { tag, isNamed: named !== undefined };
}

function toIntent(jobId: string | undefined, prompt: string | undefined): JobRequest {
  if (jobId === undefined) {
    return { kind: 'create', prompt: prompt ?? '' };
  }
  return prompt === undefined ? { kind: 'attach', jobId } : { kind: 'follow-up', jobId, prompt };
}

/** Problems of the key beside the other inputs: it is of the wrong kind, or has got into one of them. */
function findKeyProblems({ 'api-key': key = '', ...others }: Record<string, string | undefined>): string[] {
  const kind = key.startsWith('mint_dsc_')
    ? 'an assistant key (`mint_dsc_…`)'
    : key.startsWith('mint_us_')
      ? 'an index key (`mint_us_…`)'
      : undefined;
  const isOfService = parseUrl(others['base-url'] ?? '')?.origin === INPUT_DEFAULTS['base-url'];
  const wrongKind =
    kind !== undefined && isOfService && key.length >= MIN_KEY_LENGTH
      ? [`\`api-key\` is ${kind}, which cannot start jobs: create an admin key on the API keys page.`]
      : [];
  return [...wrongKind, ...findHolders(key, 'API key', others)];
}

/** Inputs that hold, in any form, a secret which has an input of its own: they may be sent and shown, the secret may not. */
function findHolders(secret: string, kind: string, others: Record<string, string | undefined>): string[] {
  const redact = createRedactor(secret);
  return Object.keys(others)
    .filter((name) => others[name] !== undefined && redact(others[name]) !== others[name])
    .map((name) => `\`${name}\` holds the ${kind}: take it out.`);
}
