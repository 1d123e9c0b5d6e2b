import { InputError, type InputErrorKind } from '../errors.ts';
import type { JobRequest } from '../service/job.ts';
import { code, type Message, message } from '../text/message.ts';
import { holdsSecret } from '../text/redact.ts';
import {
  findBrokenRules,
  type InputName,
  type InputProblem,
  type RunEventFacts,
} from './combinations.ts';
import { INPUT_DEFAULTS } from './defaults.ts';
import * as parse from './parsers.ts';
import { readPromptFile } from './prompt-file.ts';

export type Inputs = Readonly<ReturnType<typeof readInputs>>;

/** The inputs by name, in the order of action.yml. */
export const INPUT_NAMES = Object.keys(INPUT_DEFAULTS) as readonly InputName[];

/** Returns a trimmed input, or undefined if it is blank, like `getInput` of @actions/core. */
export function getInput(env: NodeJS.ProcessEnv, name: InputName): string | undefined {
  return env[toVariable(name)]?.trim() || undefined;
}

function toVariable(name: InputName): string {
  return `INPUT_${name.toUpperCase()}`;
}

/** Reads the inputs. Throws an `InputError` with all problems, none of which quotes a value. */
export function readInputs(env: NodeJS.ProcessEnv, event: RunEventFacts) {
  const getText = (name: InputName) => getInput(env, name) || INPUT_DEFAULTS[name] || undefined;
  const has = (name: InputName): boolean => getText(name) !== undefined;
  const problems: InputProblem[] = [];
  const invalid = new Set<InputName>();

  function read<T>(name: InputName, parseText: (text: string) => T): T | undefined {
    const text = getText(name);
    try {
      return text === undefined ? undefined : parseText(refuseSecret(env, name, text));
    } catch (error) {
      if (!(error instanceof InputError)) {
        throw error;
      }
      const kind = name === 'api-key' ? 'secret' : 'workflow';
      const texts = error.problems.map((problem) => message`${code(name)} ${problem}`);
      problems.push(...texts.map((text) => ({ text, kind }) as const));
      invalid.add(name);
      return undefined;
    }
  }

  const prompt = read('prompt', parse.parsePrompt);
  const filePrompt = read('prompt-file', (path) => {
    const text = readPromptFile(env['GITHUB_WORKSPACE'] || process.cwd(), path);
    return parse.parsePrompt(refuseSecret(env, 'prompt-file', text));
  });
  /** Each of these has a value if the inputs are valid. */
  const values = {
    projectId: read('project-id', parse.parseProjectId),
    apiKey: read('api-key', parse.parseApiKey),
    baseUrl: read('base-url', parse.parseBaseUrl),
    request: createRequest(read('job-id', parse.parseJobId), prompt ?? filePrompt),
    wait: read('wait', parse.parseBoolean),
    timeoutMs: read('timeout-minutes', parse.parseTimeout),
    pollIntervalMs: read('poll-interval-seconds', parse.parsePollInterval),
    includeChanges: read('include-changes', parse.parseBoolean),
    reuse: read('reuse', parse.parseReuse),
    skipWhilePrOpen: read('skip-while-pr-open', parse.parseBoolean),
    dryRun: read('dry-run', parse.parseBoolean),
  };
  /** As written. Undefined if the event says where the changes begin. */
  const changesSince = read('changes-since', parse.parseChangesSince);
  /** `release-tag`, or the tag of the event. */
  const tag = read('release-tag', parse.parseTag) ?? event.eventTag;
  const paths = read('paths', parse.parsePaths);
  read('github-token', parse.parseToken);
  read('pr-token', parse.parseToken);

  problems.push(...findBrokenRules({ ...event, ...values, has, changesSince, tag }, invalid));
  const texts = problems.map(({ text }) => text);
  const unknown = findUnknown(env);
  if (unknown.length > 0) {
    throw new InputError([...unknown.map(describeUnknown), ...texts, listInputs()]);
  }
  if (problems.length > 0 || !isComplete(values)) {
    throw new InputError(texts, findKind(problems));
  }
  return { ...values, tag, changesSince, paths };
}

/** A workflow has to change if any of its problems asks for it. */
function findKind(problems: readonly InputProblem[]): InputErrorKind {
  const kinds = problems.map(({ kind }) => kind);
  const found = (['workflow', 'no-secrets'] as const).find((kind) => kinds.includes(kind));
  return found ?? 'secret';
}

function isComplete<T extends object>(
  values: T,
): values is { [K in keyof T]: Exclude<T[K], undefined> } {
  return !Object.values(values).includes(undefined);
}

function createRequest(jobId?: string, prompt?: string): JobRequest | undefined {
  if (jobId === undefined) {
    return prompt === undefined ? undefined : { kind: 'create', prompt };
  }
  return prompt === undefined ? { kind: 'attach', jobId } : { kind: 'follow-up', jobId, prompt };
}

const TOKENS = ['github-token', 'pr-token'] as const;

/** Returns the text of an input. Rejects a text that contains the key or a token of the run. */
function refuseSecret(env: NodeJS.ProcessEnv, name: InputName, text: string): string {
  const isIn = (secret: InputName): boolean => holdsSecret(text, getInput(env, secret) ?? '');
  if (name !== 'api-key' && isIn('api-key')) {
    return parse.refuse`contains the API key. Remove it.`;
  }
  if (name !== 'api-key' && parse.isKey(text)) {
    return parse.refuse`is an API key. Remove it, and pass the right one as {api-key}.`;
  }
  // The two tokens may be the same.
  const mayBeToken = name === 'api-key' || TOKENS.some((token) => token === name);
  return !mayBeToken && TOKENS.some(isIn)
    ? parse.refuse`contains a GitHub token. Remove it.`
    : text;
}

/**
 * Finds variables of inputs that don't exist. The runner only warns about them, and `dryrun: true`
 * would start a job. GitHub's runner sets only what is under `with` and the defaults of action.yml,
 * so other variables come from `env`, from `GITHUB_ENV`, or from the runner's own environment (and,
 * in act before 0.2.64 and its derivatives, from an outer composite action). They are errors, too:
 * nothing tells them from a misspelled input. An empty variable is absent, so that a step can clear
 * one that it inherits.
 */
function findUnknown(env: NodeJS.ProcessEnv): string[] {
  const known = INPUT_NAMES.map(toVariable);
  return Object.keys(env).filter(
    (variable) =>
      variable.startsWith('INPUT_') && !known.includes(variable) && env[variable]?.trim() !== '',
  );
}

function describeUnknown(variable: string): Message {
  const name = variable.slice('INPUT_'.length).toLowerCase();
  return message`${code(name)} is not an input. Correct it under {with}, or if it isn't there, set
    ${code(variable)} to {''} in the {env} of the step.`;
}

function listInputs(): Message {
  const names = INPUT_NAMES.map(code).reduce((before, next) => message`${before}, ${next}`);
  return message`The inputs are ${names}.`;
}
