"use strict";
exports.id = 10;
exports.ids = [10];
exports.modules = {

/***/ 6010:
/***/ ((__unused_webpack_module, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  findReusableJob: () => (/* binding */ findReusableJob)
});

// EXTERNAL MODULE: ./build/clock.js + 1 modules
var clock = __webpack_require__(3929);
// EXTERNAL MODULE: ./build/github/client.js
var client = __webpack_require__(9376);
// EXTERNAL MODULE: ./build/github/job-annotation.js
var job_annotation = __webpack_require__(5564);
;// CONCATENATED MODULE: ./build/github/previous-jobs.js


const PAGE_SIZE = 100;
const MAX_ATTEMPTS = 10;
const BATCH_SIZE = 6;
/** Yields the jobs that earlier attempts recorded with this fingerprint, newest attempt first. Throws if they cannot be read. */
async function* listPreviousJobs(context, fingerprint, limits) {
    const { repository, runId, runAttempt, workflowJob, serverUrl } = context;
    if (repository === undefined || runId === undefined) {
        throw new client/* GitHubError */.y_('GITHUB_REPOSITORY or GITHUB_RUN_ID is not set');
    }
    const octokit = await (0,client/* createGitHubClient */.LX)(context, limits).loadOctokit();
    const runPage = `${serverUrl}/${repository.owner}/${repository.repo}/actions/runs/${runId}`;
    const read = new Set();
    for (let attempt = runAttempt - 1; attempt >= 1 && attempt >= runAttempt - MAX_ATTEMPTS; attempt -= 1) {
        const listed = await listCheckRuns(octokit, repository, runId, attempt, workflowJob);
        const checkRuns = listed.filter(({ id }) => !read.has(id));
        for (let index = 0; index < checkRuns.length; index += BATCH_SIZE) {
            const batch = checkRuns.slice(index, index + BATCH_SIZE);
            const jobIds = await Promise.all(batch.map(({ id }) => readJobIds(octokit, repository, id, fingerprint)));
            for (const [position, checkRun] of batch.entries()) {
                read.add(checkRun.id);
                for (const jobId of jobIds[position] ?? []) {
                    yield { jobId, attempt: checkRun.attempt, page: `${runPage}/attempts/${checkRun.attempt}` };
                }
            }
        }
    }
}
/** Lists the check runs of one attempt: those that seem to be of this workflow job first, then the newest. */
async function listCheckRuns(octokit, repository, runId, attempt, workflowJob) {
    const query = { ...repository, run_id: runId, attempt_number: attempt, per_page: PAGE_SIZE };
    const jobs = [];
    for (let page = 1; page === 1 || jobs.length === (page - 1) * PAGE_SIZE; page += 1) {
        const { data } = await octokit.rest.actions.listJobsForWorkflowRunAttempt({ ...query, page });
        jobs.push(...data.jobs);
    }
    const rank = ({ name }) => name === workflowJob || name.startsWith(`${workflowJob} (`) || name.endsWith(` / ${workflowJob}`) ? 0 : 1;
    return jobs
        .filter(({ conclusion }) => conclusion !== 'skipped')
        .sort((a, b) => rank(a) - rank(b) || Date.parse(b.started_at) - Date.parse(a.started_at))
        .map(({ check_run_url: url, run_attempt: own = attempt }) => ({
        id: Number(/\/check-runs\/(\d{1,15})$/.exec(url)?.[1]),
        attempt: Math.min(own, attempt),
    }))
        .filter(({ id }) => id > 0);
}
async function readJobIds(octokit, repository, checkRunId, fingerprint) {
    const query = { ...repository, check_run_id: checkRunId, per_page: PAGE_SIZE };
    const { data } = await octokit.rest.checks.listAnnotations(query);
    return data
        .filter(({ annotation_level: level }) => level === 'notice')
        .map(({ message }) => (0,job_annotation/* parseMarker */.gY)(message, fingerprint))
        .filter((jobId) => jobId !== undefined);
}

;// CONCATENATED MODULE: ./build/reuse/reuse-job.js



const MAX_REQUESTS = 120;
const GET_TIMEOUT_MS = 10_000;
const MAX_JOBS = 20;
/**
 * Looks for a job that an earlier attempt of this workflow run started, and asks the service about it: the newest that
 * is neither failed nor gone is reused. One that the service can say nothing about right now is reused, too, rather
 * than paid for twice. Never throws.
 */
async function findReusableJob(options) {
    const { context, fingerprint, agent, timeoutMs, signal } = options;
    const deadline = clock/* systemClock */.m.now() + timeoutMs;
    const limits = { timeoutMs, maxRequests: MAX_REQUESTS, signal };
    let reason;
    let unclear;
    const seen = new Set();
    try {
        for await (const previous of listPreviousJobs(context, fingerprint, limits)) {
            if (seen.has(previous.jobId)) {
                continue;
            }
            seen.add(previous.jobId);
            const remainingMs = Math.max(1, deadline - clock/* systemClock */.m.now());
            const result = await agent.getJob(previous.jobId, {
                timeoutMs: Math.min(GET_TIMEOUT_MS, remainingMs),
                signal,
            });
            const state = classifyJob(result);
            if (state === 'usable') {
                return { kind: 'reused', ...previous };
            }
            if (state === 'unclear') {
                unclear ??= previous;
            }
            reason ??= `the job of attempt ${previous.attempt} ${state === 'failed' ? 'failed' : 'is gone'}`;
            if (seen.size === MAX_JOBS) {
                break;
            }
        }
    }
    catch (error) {
        const failure = (0,client/* getGitHubError */.o0)(error);
        const hint = (0,client/* isPermissionError */.gj)(failure) ? '; this needs `actions: read` and `checks: read`' : '';
        reason ??= `couldn't read earlier attempts (${failure.message})${hint}`;
    }
    return unclear === undefined
        ? { kind: 'new-job', reason: reason ?? 'no earlier attempt recorded one' }
        : { kind: 'reused', ...unclear };
}
/** Says what a look at a job means for reusing it; a response that blames the request is as good as "no such job". */
function classifyJob(result) {
    if (result.kind !== 'response') {
        return 'unclear';
    }
    const { httpStatus, job } = result;
    if (job !== undefined) {
        return job.status === 'failed' ? 'failed' : 'usable';
    }
    const isRefused = httpStatus >= 400 && httpStatus < 500 && ![401, 403, 408, 425, 429].includes(httpStatus);
    return isRefused ? 'gone' : 'unclear';
}


/***/ })

};
;