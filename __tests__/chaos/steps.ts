import { link } from '../e2e/scenario.ts';
import { faults, jobRecord, type Step } from '../helpers/servers.ts';

const hostile = 'x\r::set-output name=status::completed\n##[add-mask]completed ::stop-commands::t';
const page = { headers: { 'content-type': 'text/html' }, body: `<h1>${hostile}</h1>` };
const error = { error: hostile };

/** Responses and faults after which the effect of a request is unknown. */
const unproven = {
  reset: { fault: faults.reset },
  close: { fault: faults.close },
  silence: { fault: faults.silence },
  'headers in drips': { fault: faults.dripHeaders(5) },
  'body in drips': { fault: faults.dripBody(5) },
  'stalled body': { fault: faults.stallBody },
  'short body': { fault: faults.shortLength },
  'bad chunk': { fault: faults.badChunk },
  'cut body': { fault: faults.cutBody },
  'not HTTP': { fault: faults.notHttp },
  'huge headers': { fault: faults.hugeHeaders },
  'length and chunks': { fault: faults.lengthAndChunked },
  'endless chunks': { fault: faults.endlessChunks },
  'gzip bomb': { fault: faults.gzipBomb },
  '500': { status: 500, body: error },
  '502 page': { status: 502, ...page },
  '503 bare': { status: 503, body: '' },
  '503 polite': { status: 503, headers: { 'retry-after': '1' }, body: error },
  '504': { status: 504, body: '' },
  '204': { status: 204 },
  '200 page': { status: 200, ...page },
  'bad id': { body: jobRecord({ id: '../other' }) },
  'no status': { body: jobRecord({ status: null }) },
  list: { body: [jobRecord()] },
} satisfies Record<string, Step>;

/** Responses that prove that a request had no effect, and allow a retry. */
const pauses = {
  '429 in 1 s': { status: 429, headers: { 'retry-after': '1' }, body: error },
  '429 in 3 s': { status: 429, headers: { 'retry-after': '3' }, body: error },
  '429 in a day': { status: 429, headers: { 'retry-after': '86400' }, body: error },
  '429 bare': { status: 429, body: error },
  '429 junk': { status: 429, headers: { 'retry-after': '1e3' }, body: error },
} satisfies Record<string, Step>;

const refusals = {
  '400': { status: 400, body: error },
  '401': { status: 401, body: error },
  '403': { status: 403, body: error },
  '404': { status: 404, body: error },
  '307': { status: 307, headers: { location: 'http://127.0.0.1:9/' }, body: '' },
} satisfies Record<string, Step>;

const records = {
  active: {},
  'active, late': { delayMs: 150 },
  'active, hints': { fault: faults.earlyHints(20) },
  'active, closed': { closeAfter: true },
  unknown: { body: jobRecord({ status: 'reviewing' }) },
  hostile: {
    body: jobRecord({ status: hostile, model: hostile, prLink: hostile, [hostile]: hostile }),
  },
} satisfies Record<string, Step>;

const finals = {
  'completed, link': { body: jobRecord({ status: 'completed', prLink: link }) },
  completed: { body: jobRecord({ status: 'completed' }) },
  'completed, bad link': { body: jobRecord({ status: 'completed', prLink: hostile }) },
  archived: { body: jobRecord({ status: 'archived' }) },
  failed: { body: jobRecord({ status: 'failed' }) },
} satisfies Record<string, Step>;

/** Every response and fault by name. */
export const steps = { ...unproven, ...pauses, ...refusals, ...records, ...finals };

export type StepName = keyof typeof steps;

const namesOf = <T extends object>(group: T) => Object.keys(group) as (keyof T)[];

export const stepNames = {
  unproven: namesOf(unproven),
  pauses: namesOf(pauses),
  refusals: namesOf(refusals),
  records: namesOf(records),
  finals: namesOf(finals),
};

/**
 * Returns whether a create request or follow-up may have had an effect, judging by its response.
 */
export function mayHaveEffect(name: StepName): boolean {
  return !(name in pauses) && !(name in refusals);
}

/** Returns whether the response proves that the request took effect. */
export function isRecord(name: StepName): boolean {
  return name in records || name in finals;
}

/** The outcome of each final response that lets the action pass. */
export const passingOutcomes: Partial<Record<StepName, string>> = {
  'completed, link': 'pull-request-opened',
  completed: 'no-pull-request',
  'completed, bad link': 'no-pull-request',
  archived: 'archived',
};
