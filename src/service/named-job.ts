import { undefinedIfThrown } from '../errors.ts';
import { isJobId } from './job.ts';

/** What a response without a usable reply says about a job. */
export interface NamedJob {
  /** True if the response names an id, so that a job may exist. */
  readonly namesJob: boolean;
  /** The id, if it is the only one and can be that of a job. */
  readonly namedId: string | undefined;
}

/** A field with an id in JSON, and its value. Both may be cut off, and then the value is absent. */
const ID_FIELD = /"(job_?)?id"\s*:(?:\s*(?:"([^"\\]*)"|(\d+)\s*[,}\]]))?/gi;
/** An address below that of all jobs. */
const JOB_ADDRESS = /\/job\/([^/?#]+)/;
/** JSON may write any character like this, also in the name of a field. */
const ESCAPE = /\\u([\da-f]{4})/gi;

/** Looks for the id of a job in a body, at any depth, and in the `Location` of a response. */
export function findNamedJob(body: string, location = ''): NamedJob {
  const text = body.replace(ESCAPE, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  const fields = [...text.matchAll(ID_FIELD)];
  const address = JOB_ADDRESS.exec(location);
  const jobFields = fields.filter(([, prefix]) => prefix !== undefined);
  const isAboutJob = address !== null || jobFields.length > 0;
  const values = (isAboutJob ? jobFields : fields).map(([, , string, number]) => string ?? number);
  const ids = new Set([decode(address?.[1]), ...values].filter((id) => id !== undefined));
  const [id = '', ...others] = ids;
  return {
    namesJob: isAboutJob || fields.length > 0,
    namedId: others.length === 0 && isJobId(id) ? id : undefined,
  };
}

function decode(segment: string | undefined): string | undefined {
  return segment && undefinedIfThrown(() => decodeURIComponent(segment));
}
