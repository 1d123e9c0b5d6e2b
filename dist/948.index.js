"use strict";
exports.id = 948;
exports.ids = [948];
exports.modules = {

/***/ 948:
/***/ ((__unused_webpack_module, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  findReusableJob: () => (/* binding */ findReusableJob)
});

// EXTERNAL MODULE: ./build/github/client.js
var client = __webpack_require__(9376);
// EXTERNAL MODULE: ./build/github/job-annotation.js
var job_annotation = __webpack_require__(5564);
;// CONCATENATED MODULE: ./build/github/job-records.js


/**
 * Visits the records of earlier attempts, newest first, then those of other runs, until `visit` returns true. A request
 * that fails does not spoil what others find: the search goes on, and returns the first failure at its end. Never throws.
 */
async function searchJobRecords(search, visit) {
    try {
        const reader = await RecordReader.open(search);
        for await (const record of reader.readAll()) {
            if (await visit(record)) {
                return { kind: 'stopped' };
            }
        }
        return reader.end;
    }
    catch (error) {
        return { kind: 'failed', isRefused: true, error: (0,client/* getGitHubError */.o0)(error) };
    }
}
const PAGE_SIZE = 100;
const BATCH_SIZE = 6;
const MAX_RUNS = 30;
const MAX_AGE_MS = 30 * 24 * 60 * 60_000;
class RecordReader {
    #search;
    #octokit;
    #repository;
    #runId;
    #read = new Set();
    #firstError;
    #canReadAnnotations = false;
    constructor(search, octokit, repository, runId) {
        this.#search = search;
        this.#octokit = octokit;
        this.#repository = repository;
        this.#runId = runId;
    }
    static async open(search) {
        const { repository, runId } = search.context;
        if (repository === undefined || runId === undefined) {
            throw new client/* GitHubError */.y_('GITHUB_REPOSITORY or GITHUB_RUN_ID is not set');
        }
        const octokit = await (0,client/* createGitHubClient */.LX)(search.context, search.limits).loadOctokit();
        return new RecordReader(search, octokit, repository, runId);
    }
    get end() {
        const error = this.#firstError;
        return error === undefined
            ? { kind: 'complete' }
            : { kind: 'failed', isRefused: (0,client/* isPermissionError */.gj)(error) && !this.#canReadAnnotations, error };
    }
    async *readAll() {
        const { tag, context } = this.#search;
        const name = await this.#readOwnName();
        yield* this.#readAttempts(this.#runId, context.runAttempt - 1, name);
        if (tag !== undefined) {
            const runs = (await this.#try(() => this.#listOtherRuns(tag))) ?? [];
            for (const { id, run_attempt: newest = 1 } of runs) {
                yield* this.#readAttempts(id, newest, name);
            }
        }
    }
    /** Returns undefined and remembers the first error if a read fails. */
    async #try(read) {
        try {
            return await read();
        }
        catch (error) {
            this.#firstError ??= (0,client/* getGitHubError */.o0)(error);
            return undefined;
        }
    }
    /** The display name of this workflow job, by which it is found again among hundreds of others. */
    async #readOwnName() {
        const { checkRunId } = this.#search.context;
        if (checkRunId === undefined) {
            return undefined;
        }
        const job = await this.#try(() => this.#octokit.rest.actions.getJobForWorkflowRun({ ...this.#repository, job_id: checkRunId }));
        return job?.data.name;
    }
    async *#readAttempts(runId, newest, name) {
        const { serverUrl, workflowJob } = this.#search.context;
        const { owner, repo } = this.#repository;
        for (let attempt = newest; attempt >= 1; attempt -= 1) {
            const jobs = (await this.#try(() => this.#listJobs(runId, attempt))) ?? [];
            const unread = selectJobs(jobs, name, workflowJob).filter(({ id }) => !this.#read.has(id));
            for (let index = 0; index < unread.length; index += BATCH_SIZE) {
                const batch = unread.slice(index, index + BATCH_SIZE);
                const markers = await Promise.all(batch.map(({ id }) => this.#try(() => this.#readMarkers(id))));
                for (const [position, job] of batch.entries()) {
                    this.#read.add(job.id);
                    // An attempt that re-ran only what had failed lists the jobs of earlier attempts, too.
                    const ran = Math.min(job.run_attempt ?? attempt, attempt);
                    const page = `${serverUrl}/${owner}/${repo}/actions/runs/${runId}/attempts/${ran}`;
                    for (const { jobId } of markers[position] ?? []) {
                        yield { jobId, runId, attempt: ran, page };
                    }
                }
            }
        }
    }
    async #listJobs(runId, attempt) {
        const query = { ...this.#repository, run_id: runId, attempt_number: attempt, per_page: PAGE_SIZE };
        const jobs = [];
        for (let page = 1; page === 1 || jobs.length === (page - 1) * PAGE_SIZE; page += 1) {
            const { data } = await this.#octokit.rest.actions.listJobsForWorkflowRunAttempt({ ...query, page });
            jobs.push(...data.jobs);
        }
        return jobs;
    }
    async #readMarkers(checkRunId) {
        const query = { ...this.#repository, check_run_id: checkRunId, per_page: PAGE_SIZE };
        const { data } = await this.#octokit.rest.checks.listAnnotations(query);
        this.#canReadAnnotations = true;
        return data
            .filter(({ annotation_level: level }) => level === 'notice')
            .map(({ message }) => (0,job_annotation/* parseMarker */.gY)(message, this.#search.fingerprint))
            .filter((marker) => marker !== undefined);
    }
    /** The newest runs of the same workflow file for the tag. A tag push and a `release` event have it as their branch. */
    async #listOtherRuns(tag) {
        const { workflowFile, refName = tag } = this.#search.context;
        if (workflowFile === undefined) {
            throw new client/* GitHubError */.y_('GITHUB_WORKFLOW_REF is not set');
        }
        const query = {
            ...this.#repository,
            workflow_id: workflowFile,
            created: `>=${new Date(Date.now() - MAX_AGE_MS).toISOString().slice(0, 10)}`,
            per_page: MAX_RUNS,
        };
        const branches = [...new Set([tag, refName])];
        const lists = await Promise.all(branches.map((branch) => this.#octokit.rest.actions.listWorkflowRuns({ ...query, branch })));
        return lists
            .flatMap(({ data }) => data.workflow_runs)
            .filter(({ id, head_branch: branch }) => id !== this.#runId && branches.includes(branch ?? ''));
    }
}
/** Jobs of the given name; without any, all that ran: first those that seem to be of the same key, then the newest. */
function selectJobs(jobs, name, key) {
    const named = jobs.filter((job) => job.name === name);
    if (named.length > 0) {
        return named;
    }
    const rank = (job) => job.name === key || job.name.startsWith(`${key} (`) || job.name.endsWith(` / ${key}`) ? 0 : 1;
    return jobs
        .filter(({ conclusion }) => conclusion !== 'skipped')
        .sort((a, b) => rank(a) - rank(b) || Date.parse(b.started_at) - Date.parse(a.started_at));
}

;// CONCATENATED MODULE: ./build/reuse/reuse-job.js

const SEARCH_TIMEOUT_MS = 20_000;
const MAX_REQUESTS = 300;
const GET_TIMEOUT_MS = 10_000;
const GONE_LOOKS = 3;
const GONE_PAUSE_MS = 2_000;
/**
 * Looks for a job that an earlier attempt of this run, or another run for the same tag, has started, and decides what to
 * do. The search takes at most 20 seconds and half of the time that is left. Never throws.
 */
async function findReusableJob(options) {
    const { github, fingerprint, tag, context } = options;
    const timeoutMs = Math.min(SEARCH_TIMEOUT_MS, (context.deadline - context.clock.now()) / 2);
    const limits = { timeoutMs, maxRequests: MAX_REQUESTS, signal: context.cancel };
    const looked = new Set();
    /** The newest attempt with a known job, by run: whoever ran it knew what had become of older ones. */
    const known = new Map();
    const unknown = [];
    let usable;
    let ended;
    const end = await searchJobRecords({ context: github, fingerprint, tag, limits }, async (record) => {
        const { jobId, runId, attempt } = record;
        if (jobId === undefined) {
            unknown.push(record);
            return false;
        }
        known.set(runId, Math.max(attempt, known.get(runId) ?? 0));
        if (looked.has(jobId)) {
            return false;
        }
        looked.add(jobId);
        const state = options.agent === undefined ? 'usable' : await lookAtJob(jobId, options.agent, context);
        if (state === 'usable') {
            usable = { ...record, jobId };
            return true;
        }
        ended ??= { ...record, jobId, ending: state };
        return false;
    });
    if (usable !== undefined) {
        return { kind: 'attach', record: usable };
    }
    const open = unknown.filter(({ runId, attempt }) => attempt > (known.get(runId) ?? 0));
    const elsewhere = open.find(({ runId }) => runId !== github.runId);
    if (elsewhere !== undefined) {
        return { kind: 'unknown', record: elsewhere };
    }
    if (end.kind === 'failed') {
        return end.isRefused && tag === undefined
            ? { kind: 'create-unsearched', error: end.error }
            : { kind: 'unsearched', isRefused: end.isRefused, error: end.error };
    }
    const [own] = open;
    return own === undefined ? { kind: 'create', ended } : { kind: 'create-after-unknown', record: own };
}
/** Asks the service about a recorded job. Unless it is surely failed or gone it is usable: never pay twice on a guess. */
async function lookAtJob(jobId, agent, { clock, cancel }) {
    for (let look = 1;; look += 1) {
        const result = await agent.getJob(jobId, { timeoutMs: GET_TIMEOUT_MS, signal: cancel });
        if (!isGone(result)) {
            return result.kind === 'response' && result.job?.status === 'failed' ? 'failed' : 'usable';
        }
        if (look === GONE_LOOKS) {
            return 'gone';
        }
        await clock.sleep(GONE_PAUSE_MS, cancel);
    }
}
function isGone(result) {
    return result.kind === 'response' && (result.httpStatus === 404 || result.httpStatus === 410);
}


/***/ })

};
;