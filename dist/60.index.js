"use strict";
exports.id = 60;
exports.ids = [60];
exports.modules = {

/***/ 7060:
/***/ ((__unused_webpack_module, __webpack_exports__, __webpack_require__) => {

__webpack_require__.r(__webpack_exports__);
/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   openRunReader: () => (/* binding */ openRunReader)
/* harmony export */ });
/* harmony import */ var _client_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(9376);

const PAGE_SIZE = 100;
/** Returns a reader within limits. Throws a `GitHubError` if there is nothing to read from, or no token to read with. */
const openRunReader = async (context, limits) => {
    const { repository } = context;
    if (repository === undefined) {
        throw new _client_js__WEBPACK_IMPORTED_MODULE_0__/* .GitHubError */ .y_('GITHUB_REPOSITORY is not set');
    }
    const { rest } = await (0,_client_js__WEBPACK_IMPORTED_MODULE_0__/* .createGitHubClient */ .LX)(context, limits).loadOctokit();
    return {
        async readJobName(jobId) {
            return (await rest.actions.getJobForWorkflowRun({ ...repository, job_id: jobId })).data.name;
        },
        async listJobs(runId, attempt, page) {
            const { data } = await rest.actions.listJobsForWorkflowRunAttempt({
                ...repository,
                run_id: runId,
                attempt_number: attempt,
                per_page: PAGE_SIZE,
                page,
            });
            const items = expectList(data?.jobs).map((job) => ({
                id: job.id,
                name: String(job.name),
                attempt: job.run_attempt,
                isSkipped: job.conclusion === 'skipped',
                startedAt: Date.parse(job.started_at),
            }));
            return { items, pages: Math.ceil(data.total_count / PAGE_SIZE) };
        },
        async listNotices(jobId, page) {
            const query = { ...repository, check_run_id: jobId, per_page: PAGE_SIZE, page };
            const { data } = await rest.checks.listAnnotations(query);
            const items = expectList(data).flatMap(({ annotation_level: level, message }) => level === 'notice' && message !== null ? [message] : []);
            return { items, pages: data.length < PAGE_SIZE ? page : page + 1 };
        },
        async listRuns(workflowFile, branch, { since, count }) {
            const { data } = await rest.actions.listWorkflowRuns({
                ...repository,
                workflow_id: workflowFile,
                branch,
                created: `>=${since.toISOString().slice(0, 10)}`,
                per_page: count,
            });
            return expectList(data?.workflow_runs).map((run) => ({
                id: run.id,
                newestAttempt: run.run_attempt ?? 1,
                createdAt: Date.parse(run.created_at),
                branch: run.head_branch ?? undefined,
            }));
        },
    };
};
/** What a server answers may be anything, whatever its type says. */
function expectList(list) {
    if (!Array.isArray(list)) {
        throw new _client_js__WEBPACK_IMPORTED_MODULE_0__/* .GitHubError */ .y_('the response is not as the API describes it');
    }
    return list;
}


/***/ })

};
;