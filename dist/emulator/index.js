import { createRequire as __WEBPACK_EXTERNAL_createRequire } from "module";
/******/ var __webpack_modules__ = ({

/***/ 421:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:child_process");

/***/ }),

/***/ 24:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:fs");

/***/ }),

/***/ 161:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:os");

/***/ }),

/***/ 760:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:path");

/***/ }),

/***/ 952:
/***/ ((__webpack_module__, __unused_webpack___webpack_exports__, __nccwpck_require__) => {

__nccwpck_require__.a(__webpack_module__, async (__webpack_handle_async_dependencies__, __webpack_async_result__) => { try {
/* harmony import */ var node_child_process__WEBPACK_IMPORTED_MODULE_0__ = __nccwpck_require__(421);
/* harmony import */ var node_fs__WEBPACK_IMPORTED_MODULE_1__ = __nccwpck_require__(24);
/* harmony import */ var node_os__WEBPACK_IMPORTED_MODULE_2__ = __nccwpck_require__(161);
/* harmony import */ var node_path__WEBPACK_IMPORTED_MODULE_3__ = __nccwpck_require__(760);
/* harmony import */ var _keys_js__WEBPACK_IMPORTED_MODULE_4__ = __nccwpck_require__(228);
/* harmony import */ var _options_js__WEBPACK_IMPORTED_MODULE_5__ = __nccwpck_require__(106);
/* harmony import */ var _projects_js__WEBPACK_IMPORTED_MODULE_6__ = __nccwpck_require__(974);
/* harmony import */ var _server_js__WEBPACK_IMPORTED_MODULE_7__ = __nccwpck_require__(926);








const LONGEST_LIFE_MS = 60 * 60_000;
const LOOK_MS = 500;
const [script = '', command, record] = process.argv.slice(1);
if (command === 'serve' && record !== undefined) {
    await serve(record);
}
else if (process.env['STATE_folder']) {
    (0,node_fs__WEBPACK_IMPORTED_MODULE_1__.rmSync)(process.env['STATE_folder'], { recursive: true, force: true, maxRetries: 10 });
}
else {
    start();
}
function start() {
    const folder = (0,node_fs__WEBPACK_IMPORTED_MODULE_1__.mkdtempSync)((0,node_path__WEBPACK_IMPORTED_MODULE_3__.join)(process.env['RUNNER_TEMP'] || (0,node_os__WEBPACK_IMPORTED_MODULE_2__.tmpdir)(), 'emulator-'));
    const path = (0,node_path__WEBPACK_IMPORTED_MODULE_3__.join)(folder, 'record.jsonl');
    const errors = (0,node_path__WEBPACK_IMPORTED_MODULE_3__.join)(folder, 'errors.txt');
    (0,node_fs__WEBPACK_IMPORTED_MODULE_1__.writeFileSync)(path, '');
    const child = (0,node_child_process__WEBPACK_IMPORTED_MODULE_0__.spawn)(process.execPath, [...process.execArgv, script, 'serve', path], {
        detached: true,
        stdio: ['ignore', 'ignore', (0,node_fs__WEBPACK_IMPORTED_MODULE_1__.openSync)(errors, 'a'), 'ipc'],
        env: { SystemRoot: process.env['SystemRoot'] },
        windowsHide: true,
    });
    child.once('exit', (exitCode) => {
        console.error(`The emulator ended with exit code ${exitCode}:\n${(0,node_fs__WEBPACK_IMPORTED_MODULE_1__.readFileSync)(errors, 'utf8')}`);
        process.exitCode = 1;
    });
    child.once('message', (url) => {
        child.removeAllListeners('exit');
        child.disconnect();
        child.unref();
        console.log(`::warning title=Docs agent%3A rehearsal::Steps that use this emulator (${url}) start no real job, cost no credits, and open no pull request. To go live, turn this step off.`);
        console.log(`Projects:\n${(0,_options_js__WEBPACK_IMPORTED_MODULE_5__/* .formatProjects */ .cf)(_projects_js__WEBPACK_IMPORTED_MODULE_6__/* .standardProjects */ .O)}`);
        console.log(`::add-mask::${_keys_js__WEBPACK_IMPORTED_MODULE_4__/* .adminKey */ .Vp}`);
        append('GITHUB_OUTPUT', `base-url=${url}\napi-key=${_keys_js__WEBPACK_IMPORTED_MODULE_4__/* .adminKey */ .Vp}\nrecord=${path}\n`);
        append('GITHUB_STATE', `folder=${folder}\n`);
    });
}
async function serve(path) {
    const emulator = (0,_server_js__WEBPACK_IMPORTED_MODULE_7__/* .createEmulator */ .I)({
        onDecision: ({ route, status, body }) => (0,node_fs__WEBPACK_IMPORTED_MODULE_1__.appendFileSync)(path, `${toPrintableJson({ ...route, status, body })}\n`),
    });
    process.send?.(await emulator.listen());
    setTimeout(() => process.exit(), LONGEST_LIFE_MS);
    setInterval(() => (0,node_fs__WEBPACK_IMPORTED_MODULE_1__.existsSync)(path) || process.exit(), LOOK_MS);
}
function toPrintableJson(value) {
    return JSON.stringify(value).replaceAll('#', '\\u0023');
}
function append(variable, text) {
    const file = process.env[variable];
    if (file) {
        (0,node_fs__WEBPACK_IMPORTED_MODULE_1__.appendFileSync)(file, text);
    }
}

__webpack_async_result__();
} catch(e) { __webpack_async_result__(e); } }, 1);

/***/ }),

/***/ 228:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   Vp: () => (/* binding */ adminKey),
/* harmony export */   yR: () => (/* binding */ checkKey)
/* harmony export */ });
/* unused harmony export specialKeys */
/* harmony import */ var _replies_js__WEBPACK_IMPORTED_MODULE_0__ = __nccwpck_require__(982);

const adminKey = 'mint_emulator_admin_key_0001';
const specialKeys = [
    {
        key: 'mint_emulator_read_only_key_0001',
        description: 'read scope only: create and follow-up return 403',
        refuses: ['create', 'follow-up'],
        status: 403,
        error: 'API key does not have the write scope',
    },
    {
        key: 'mint_emulator_ip_limited_key_0001',
        description: 'limited to other IP addresses: every call returns 403',
        refuses: ['create', 'get', 'follow-up'],
        status: 403,
        error: 'API key may not be used from this IP address',
    },
    {
        key: 'mint_emulator_expired_key_0001',
        description: 'expired: every call returns 401',
        refuses: ['create', 'get', 'follow-up'],
        status: 401,
        error: 'API key has expired',
    },
    {
        key: 'mint_emulator_low_plan_key_0001',
        description: 'of a plan without the API: every call returns 401',
        refuses: ['create', 'get', 'follow-up'],
        status: 401,
        error: 'Please upgrade to access this route.',
    },
];
const advice = 'use a key that the emulator prints, or the output api-key of its step';
function checkKey(authorization, call) {
    const key = /^bearer +(mint_(?!dsc_|us_)[\w-]+) *$/i.exec(authorization ?? '')?.[1];
    if (key === undefined) {
        throw new _replies_js__WEBPACK_IMPORTED_MODULE_0__/* .Refusal */ .P_(401, `Not an admin API key: ${advice}`);
    }
    const special = specialKeys.find((candidate) => candidate.key === key);
    if (special?.refuses.includes(call)) {
        throw new _replies_js__WEBPACK_IMPORTED_MODULE_0__/* .Refusal */ .P_(special.status, special.error);
    }
}


/***/ }),

/***/ 106:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {


// EXPORTS
__nccwpck_require__.d(__webpack_exports__, {
  cf: () => (/* binding */ formatProjects)
});

// UNUSED EXPORTS: CommandError, formatTable, parseSpeed, runCommand, runScript

;// CONCATENATED MODULE: external "node:util"
const external_node_util_namespaceObject = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:util");
;// CONCATENATED MODULE: ./build/emulator/options.js

class CommandError extends (/* unused pure expression or super */ null && (Error)) {
}
async function runScript(script) {
    try {
        await script();
    }
    catch (error) {
        if (!(error instanceof CommandError)) {
            throw error;
        }
        console.error(`error: ${error.message}`);
        process.exitCode = 1;
    }
}
function runCommand(usage, config, command) {
    return runScript(() => {
        if (process.argv.slice(2).some((argument) => ['--help', '-h'].includes(argument))) {
            console.log(usage);
            return;
        }
        return command(parse(config));
    });
}
function parse(config) {
    try {
        return parseArgs(config);
    }
    catch (error) {
        const [reason] = (error instanceof Error ? error.message : String(error)).split('. ');
        const names = [...Object.keys(config.options ?? {}), 'help'].map((name) => `--${name}`);
        throw new CommandError(`${reason}. Options: ${names.join(', ')}.`);
    }
}
function parseSpeed(value) {
    const speed = Number(value);
    if (speed > 0 && Number.isFinite(speed)) {
        return speed;
    }
    throw new CommandError(`--speed must be a number above 0, not "${value}".`);
}
function formatTable(rows) {
    const width = Math.max(...rows.map(([name]) => name.length));
    return rows.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`).join('\n');
}
function formatProjects(projects) {
    return formatTable(projects.map(({ id, description }) => [id, description]));
}


/***/ }),

/***/ 974:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   O: () => (/* binding */ standardProjects)
/* harmony export */ });
/* unused harmony export hostileText */
/* harmony import */ var _replies_js__WEBPACK_IMPORTED_MODULE_0__ = __nccwpck_require__(982);

const pullRequest = 'https://github.com/acme/docs/pull/128';
const mergeRequest = 'https://gitlab.com/acme/handbook/docs/-/merge_requests/42';
const hostileText = [
    'x\r::set-output name=status::completed',
    '##[add-mask]x ::stop-commands::t ::error::y',
    '| <img src=x onerror=alert(1)> </details> [a](javascript:alert(1)) ```',
    '\u001b[31m\u202Etxt.exe\u200B @everyone',
].join('\n');
const ends = (atSeconds, status) => [{ atSeconds, status }];
const opens = (atSeconds, prLink = pullRequest) => [
    { atSeconds, status: 'completed', prLink },
];
const fail = (status, error, headers) => (0,_replies_js__WEBPACK_IMPORTED_MODULE_0__/* .toJson */ .aB)(status, { error }, headers);
const limit = (0,_replies_js__WEBPACK_IMPORTED_MODULE_0__/* .toText */ .fE)(429, 'Too many requests', { 'retry-after': '2' });
const overload = fail(503, 'The service is overloaded, try again', { 'retry-after': '1' });
const standardProjects = [
    { id: 'quick', description: 'opens a pull request after 3 seconds', stages: opens(3) },
    { id: 'slow', description: 'opens a pull request after 2 minutes', stages: opens(120) },
    { id: 'endless', description: 'stays active forever', stages: [] },
    {
        id: 'gitlab',
        description: 'opens a merge request on GitLab after 3 seconds',
        fields: { source: { repository: 'https://gitlab.com/acme/handbook/docs', ref: 'main' } },
        stages: opens(3, mergeRequest),
    },
    {
        id: 'no-change',
        description: 'completes after 2 seconds without a link: no file changed',
        stages: ends(2, 'completed'),
    },
    {
        id: 'publishes-directly',
        description: 'completes after 3 seconds without a link: edits go straight to the deploy branch',
        stages: ends(3, 'completed'),
    },
    {
        id: 'archived',
        description: 'is archived after 3 seconds, with the time in archivedAt',
        stages: ends(3, 'archived'),
    },
    { id: 'failing', description: 'fails after 3 seconds', stages: ends(3, 'failed') },
    {
        id: 'failed-with-link',
        description: 'fails after 3 seconds with a pull request already open',
        stages: [{ atSeconds: 3, status: 'failed', prLink: pullRequest }],
    },
    {
        id: 'new-status',
        description: 'shows an undocumented status for 3 seconds, then completes',
        stages: [...ends(1, 'reviewing'), ...opens(4)],
    },
    {
        id: 'flaky',
        description: 'get: reset, 500, 502 (HTML), 503, and 504 once each, then completed',
        stages: opens(3),
        replies: {
            get: [
                { kind: 'reset' },
                fail(500, 'Internal server error'),
                (0,_replies_js__WEBPACK_IMPORTED_MODULE_0__/* .toGatewayPage */ .dW)(502, 'Bad Gateway'),
                fail(503, 'Service unavailable'),
                (0,_replies_js__WEBPACK_IMPORTED_MODULE_0__/* .toGatewayPage */ .dW)(504, 'Gateway Time-out'),
                'proper',
            ],
        },
    },
    {
        id: 'rate-limited',
        description: 'create and get: a text/plain 429 with Retry-After 2 once, then a pull request',
        stages: opens(3),
        replies: { create: [limit, 'proper'], get: ['proper', limit, 'proper'] },
    },
    {
        id: 'created-200',
        description: 'create: 200 instead of 201; opens a pull request after 3 seconds',
        stages: opens(3),
        createdStatus: 200,
    },
    {
        id: 'created-202',
        description: 'create: 202 instead of 201; opens a pull request after 3 seconds',
        stages: opens(3),
        createdStatus: 202,
    },
    {
        id: 'no-credits',
        description: 'create: a text/plain 429 that says that the credits are used up; no job starts',
        stages: [],
        replies: { create: [(0,_replies_js__WEBPACK_IMPORTED_MODULE_0__/* .toText */ .fE)(429, 'Out of credits')] },
    },
    {
        id: 'refused',
        description: 'create: 422 with an error and other fields; no job starts',
        stages: [],
        replies: {
            create: [(0,_replies_js__WEBPACK_IMPORTED_MODULE_0__/* .toJson */ .aB)(422, { error: 'Prompt is not allowed', details: [], requestId: 'req_1' })],
        },
    },
    {
        id: 'blocked',
        description: 'create: an HTML page with 403, as a firewall sends it; no job starts',
        stages: [],
        replies: { create: [(0,_replies_js__WEBPACK_IMPORTED_MODULE_0__/* .toGatewayPage */ .dW)(403, 'Forbidden')] },
    },
    {
        id: 'overloaded',
        description: 'create: the job starts, but the response is a 503 with Retry-After 1 and a JSON error',
        stages: opens(3),
        replies: { create: [{ ...overload, takesEffect: true }] },
    },
    {
        id: 'unreadable',
        description: 'create: the job starts, but the connection is reset before the response',
        stages: opens(3),
        replies: { create: [{ kind: 'reset', takesEffect: true }] },
    },
    {
        id: 'broken-gateway',
        description: 'create: the job starts, but the response is an HTML page with 502',
        stages: opens(3),
        replies: { create: [{ ...(0,_replies_js__WEBPACK_IMPORTED_MODULE_0__/* .toGatewayPage */ .dW)(502, 'Bad Gateway'), takesEffect: true }] },
    },
    { id: 'lost', description: 'get returns 404 after 4 seconds', stages: [], goneAtSeconds: 4 },
    {
        id: 'hostile',
        description: 'completes after 3 seconds; every text is an injection into logs, Markdown, or HTML',
        fields: {
            source: { repository: hostileText, ref: hostileText },
            model: hostileText,
            createdAt: hostileText,
            archivedAt: hostileText,
            prLink: `https://github.com/acme/docs/pull/128)\r${hostileText}`,
        },
        stages: [...ends(1, hostileText), ...ends(3, 'completed')],
        replies: { get: ['proper', fail(500, hostileText), 'proper'] },
    },
];


/***/ }),

/***/ 982:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   P_: () => (/* binding */ Refusal),
/* harmony export */   aB: () => (/* binding */ toJson),
/* harmony export */   dW: () => (/* binding */ toGatewayPage),
/* harmony export */   fE: () => (/* binding */ toText)
/* harmony export */ });
function toJson(status, value, headers = {}) {
    return {
        kind: 'written',
        status,
        headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
        body: JSON.stringify(value),
    };
}
function toText(status, body, headers = {}) {
    return { kind: 'written', status, headers: { 'content-type': 'text/plain', ...headers }, body };
}
function toGatewayPage(status, title) {
    return {
        kind: 'written',
        status,
        headers: { 'content-type': 'text/html' },
        body: `<html>\n<head><title>${status} ${title}</title></head>\n<body><center><h1>${status} ${title}</h1></center></body>\n</html>\n`,
    };
}
class Refusal extends Error {
    status;
    constructor(status, message) {
        super(message);
        this.status = status;
    }
}


/***/ }),

/***/ 926:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {


// EXPORTS
__nccwpck_require__.d(__webpack_exports__, {
  I: () => (/* binding */ createEmulator)
});

;// CONCATENATED MODULE: external "node:http"
const external_node_http_namespaceObject = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:http");
;// CONCATENATED MODULE: ./build/emulator/ledger.js
function countRequests(requests) {
    const count = (call) => requests.filter(({ route }) => route?.call === call).length;
    return {
        creates: count('create'),
        gets: count('get'),
        followUps: count('follow-up'),
        jobs: requests.filter(({ route, jobId }) => route?.call === 'create' && jobId).length,
    };
}
function formatCounts({ creates, gets, followUps, jobs }) {
    const format = (count, noun) => `${count} ${noun}${count === 1 ? '' : 's'}`;
    const started = `${format(creates, 'create request')} (${format(jobs, 'job')} started)`;
    return [started, format(gets, 'poll'), format(followUps, 'follow-up')].join(', ');
}

;// CONCATENATED MODULE: external "node:events"
const external_node_events_namespaceObject = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:events");
;// CONCATENATED MODULE: ./build/emulator/listen.js

async function listen(server, port = 0) {
    await (0,external_node_events_namespaceObject.once)(server.listen(port, '127.0.0.1'), 'listening');
    return `http://127.0.0.1:${server.address().port}`;
}
async function listen_close(server) {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
}

// EXTERNAL MODULE: ./build/emulator/replies.js
var replies = __nccwpck_require__(982);
;// CONCATENATED MODULE: ./build/emulator/routes.js

const base = '/v2/agent/(?<projectId>[^/]+)/job';
const routes = [
    { call: 'create', method: 'POST', path: new RegExp(`^${base}$`) },
    { call: 'get', method: 'GET', path: new RegExp(`^${base}/(?<jobId>[^/]+)$`) },
    { call: 'follow-up', method: 'POST', path: new RegExp(`^${base}/(?<jobId>[^/]+)/message$`) },
];
const callNames = [
    'POST /v2/agent/{projectId}/job',
    'GET /v2/agent/{projectId}/job/{id}',
    'POST /v2/agent/{projectId}/job/{id}/message',
];
function toRoute(method, target) {
    const path = target.split('?', 1)[0] ?? '';
    for (const route of routes.filter((candidate) => candidate.method === method)) {
        const groups = route.path.exec(path)?.groups;
        if (groups === undefined) {
            continue;
        }
        const projectId = decodeSegment(groups['projectId']);
        if (route.call === 'create') {
            return { call: route.call, projectId };
        }
        return { call: route.call, projectId, jobId: decodeSegment(groups['jobId']) };
    }
    throw new replies/* Refusal */.P_(404, 'Not found; GET / names the calls');
}
function decodeSegment(segment = '') {
    try {
        return decodeURIComponent(segment);
    }
    catch {
        throw new replies/* Refusal */.P_(404, 'Not found');
    }
}

;// CONCATENATED MODULE: external "node:crypto"
const external_node_crypto_namespaceObject = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:crypto");
;// CONCATENATED MODULE: ./build/emulator/jobs.js
const finalStatuses = ['completed', 'archived', 'failed'];
function toRecord(job, nowMs, speed) {
    const { project } = job;
    const secondsRun = ((nowMs - job.startedAtMs) / 1000) * speed;
    if (secondsRun >= (project.goneAtSeconds ?? Number.POSITIVE_INFINITY)) {
        return undefined;
    }
    const stage = project.stages.findLast((candidate) => secondsRun >= candidate.atSeconds);
    const status = stage?.status ?? 'active';
    const stageAtMs = job.startedAtMs + ((stage?.atSeconds ?? 0) * 1000) / speed;
    return {
        id: job.id,
        status,
        source: { repository: 'https://github.com/acme/docs', ref: 'main' },
        model: 'docs-writer-2',
        prLink: (finalStatuses.includes(status) && stage?.prLink) || null,
        createdAt: new Date(job.createdAtMs).toISOString(),
        archivedAt: status === 'archived' ? new Date(stageAtMs).toISOString() : null,
        ...project.fields,
    };
}

// EXTERNAL MODULE: ./build/emulator/keys.js
var keys = __nccwpck_require__(228);
// EXTERNAL MODULE: ./build/emulator/projects.js
var projects = __nccwpck_require__(974);
;// CONCATENATED MODULE: ./build/emulator/service.js





function createService({ speed, now }) {
    const jobs = [];
    const creates = new Map();
    function findJob(project, jobId) {
        const known = jobs.find(({ id, project: { id: its } }) => id === jobId && its === project.id);
        const job = known ?? restoreJob(project, jobId);
        if (!job) {
            throw new replies/* Refusal */.P_(404, 'No such job; use the id of a job that this emulator has started');
        }
        if (!toRecord(job, now(), speed)) {
            throw new replies/* Refusal */.P_(404, 'Job not found');
        }
        return job;
    }
    function restoreJob(project, id) {
        const createdAtMs = parseJobId(id, project.id);
        return createdAtMs <= now() ? keepJob(id, project, createdAtMs) : undefined;
    }
    function addJob(projectId, jobId) {
        const project = findProject(projectId);
        const id = jobId ?? createJobId(projectId, now());
        creates.set(project, 0);
        return keepJob(id, project, now());
    }
    function keepJob(id, project, createdAtMs) {
        const job = { id, project, prompts: [], createdAtMs, startedAtMs: createdAtMs, gets: 0 };
        jobs.push(job);
        return job;
    }
    function toDecision(reply, job, status = 200) {
        const record = toRecord(job, now(), speed) ?? {};
        return { reply: reply === 'proper' ? (0,replies/* toJson */.aB)(status, record) : reply, job };
    }
    function create(project, prompt) {
        const count = creates.get(project) ?? 0;
        creates.set(project, count + 1);
        const reply = pickReply(project.replies?.create, count);
        if (reply !== 'proper' && !reply.takesEffect) {
            return { reply };
        }
        const job = addJob(project.id);
        job.prompts.push(prompt);
        return toDecision(reply, job, project.createdStatus ?? 201);
    }
    function followUp(job, prompt) {
        job.prompts.push(prompt);
        Object.assign(job, { startedAtMs: now(), gets: 0 });
        return toDecision('proper', job);
    }
    function answer(route, headers, body) {
        (0,keys/* checkKey */.yR)(headers.authorization, route.call);
        const project = findProject(route.projectId);
        if (route.call === 'create') {
            return create(project, parsePrompt(headers['content-type'], body));
        }
        const job = findJob(project, route.jobId);
        return route.call === 'get'
            ? toDecision(pickReply(project.replies?.get, job.gets++), job)
            : followUp(job, parsePrompt(headers['content-type'], body));
    }
    return { jobs, answer, addJob };
}
function createJobId(projectId, createdAtMs) {
    return `${projectId}_${createdAtMs.toString(36)}_${(0,external_node_crypto_namespaceObject.randomBytes)(4).toString('hex')}`;
}
function parseJobId(jobId, projectId) {
    const [, project, instant = ''] = /^([a-z0-9-]+)_([a-z0-9]{8})_[0-9a-f]{8}$/.exec(jobId) ?? [];
    return project === projectId ? Number.parseInt(instant, 36) : Number.NaN;
}
function findProject(projectId) {
    const project = projects/* standardProjects */.O.find(({ id }) => id === projectId);
    if (!project) {
        const names = projects/* standardProjects */.O.map(({ id }) => id).join(', ');
        throw new replies/* Refusal */.P_(404, `No such project; the projects of the emulator are ${names}`);
    }
    return project;
}
function pickReply(replies = ['proper'], earlierRequests) {
    return replies[earlierRequests] ?? replies.at(-1) ?? 'proper';
}
function parsePrompt(contentType, body) {
    if (!/^application\/json *(;|$)/i.test(contentType ?? '')) {
        throw new replies/* Refusal */.P_(400, 'Content-Type must be application/json');
    }
    let value;
    try {
        value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
    }
    catch {
        throw new replies/* Refusal */.P_(400, 'Request body is not valid JSON');
    }
    const prompt = typeof value === 'object' && value !== null && 'prompt' in value ? value.prompt : undefined;
    if (typeof prompt !== 'string' || prompt.trim() === '') {
        throw new replies/* Refusal */.P_(400, 'prompt must be a string that is not blank');
    }
    return prompt;
}

;// CONCATENATED MODULE: ./build/emulator/server.js






function createEmulator(options = {}) {
    const { speed = 1, now = Date.now, onDecision } = options;
    const service = createService({ speed, now });
    const requests = [];
    async function handle(request, response) {
        const { method = '', url: path = '', headers } = request;
        const received = { receivedAtMs: now(), method, path, headers, body: '' };
        requests.push(received);
        const body = Buffer.concat(await request.toArray());
        const { reply, job } = decide(received, body);
        received.jobId = job?.id;
        received.status = reply.kind === 'written' ? reply.status : undefined;
        onDecision?.(received);
        if (reply.kind === 'written') {
            response.writeHead(reply.status, reply.headers).end(reply.body);
        }
        else {
            response.socket?.resetAndDestroy();
        }
    }
    function decide(received, body) {
        if (received.method === 'GET' && received.path === '/') {
            return { reply: (0,replies/* toJson */.aB)(200, { calls: callNames }) };
        }
        try {
            const route = toRoute(received.method, received.path);
            Object.assign(received, { route, body: body.toString() });
            return service.answer(route, received.headers, body);
        }
        catch (error) {
            if (!(error instanceof replies/* Refusal */.P_)) {
                throw error;
            }
            return { reply: (0,replies/* toJson */.aB)(error.status, { error: error.message }) };
        }
    }
    const handler = (request, response) => {
        handle(request, response).catch((error) => {
            const isAborted = !request.complete;
            if (!isAborted) {
                throw error;
            }
        });
    };
    const server = (0,external_node_http_namespaceObject.createServer)(handler);
    return {
        listen: (port) => listen(server, port),
        close: () => listen_close(server),
        handler,
        requests,
        jobs: service.jobs,
        counts: () => countRequests(requests),
        addJob: service.addJob,
    };
}


/***/ })

/******/ });
/************************************************************************/
/******/ // The module cache
/******/ var __webpack_module_cache__ = {};
/******/ 
/******/ // The require function
/******/ function __nccwpck_require__(moduleId) {
/******/ 	// Check if module is in cache
/******/ 	var cachedModule = __webpack_module_cache__[moduleId];
/******/ 	if (cachedModule !== undefined) {
/******/ 		return cachedModule.exports;
/******/ 	}
/******/ 	// Create a new module (and put it into the cache)
/******/ 	var module = __webpack_module_cache__[moduleId] = {
/******/ 		// no module.id needed
/******/ 		// no module.loaded needed
/******/ 		exports: {}
/******/ 	};
/******/ 
/******/ 	// Execute the module function
/******/ 	var threw = true;
/******/ 	try {
/******/ 		__webpack_modules__[moduleId](module, module.exports, __nccwpck_require__);
/******/ 		threw = false;
/******/ 	} finally {
/******/ 		if(threw) delete __webpack_module_cache__[moduleId];
/******/ 	}
/******/ 
/******/ 	// Return the exports of the module
/******/ 	return module.exports;
/******/ }
/******/ 
/************************************************************************/
/******/ /* webpack/runtime/asset-relocator-loader */
/******/ if (typeof __nccwpck_require__ !== 'undefined') __nccwpck_require__.ab = decodeURIComponent(new URL('.', import.meta.url).pathname).slice(import.meta.url.match(/^file:\/\/\/\w:/) ? 1 : 0, -1) + "/";
/******/ 
/******/ /* webpack/runtime/async module */
/******/ (() => {
/******/ 	var webpackQueues = typeof Symbol === "function" ? Symbol("webpack queues") : "__webpack_queues__";
/******/ 	var webpackExports = typeof Symbol === "function" ? Symbol("webpack exports") : "__webpack_exports__";
/******/ 	var webpackError = typeof Symbol === "function" ? Symbol("webpack error") : "__webpack_error__";
/******/ 	var resolveQueue = (queue) => {
/******/ 		if(queue && queue.d < 1) {
/******/ 			queue.d = 1;
/******/ 			queue.forEach((fn) => (fn.r--));
/******/ 			queue.forEach((fn) => (fn.r-- ? fn.r++ : fn()));
/******/ 		}
/******/ 	}
/******/ 	var wrapDeps = (deps) => (deps.map((dep) => {
/******/ 		if(dep !== null && typeof dep === "object") {
/******/ 			if(dep[webpackQueues]) return dep;
/******/ 			if(dep.then) {
/******/ 				var queue = [];
/******/ 				queue.d = 0;
/******/ 				dep.then((r) => {
/******/ 					obj[webpackExports] = r;
/******/ 					resolveQueue(queue);
/******/ 				}, (e) => {
/******/ 					obj[webpackError] = e;
/******/ 					resolveQueue(queue);
/******/ 				});
/******/ 				var obj = {};
/******/ 				obj[webpackQueues] = (fn) => (fn(queue));
/******/ 				return obj;
/******/ 			}
/******/ 		}
/******/ 		var ret = {};
/******/ 		ret[webpackQueues] = x => {};
/******/ 		ret[webpackExports] = dep;
/******/ 		return ret;
/******/ 	}));
/******/ 	__nccwpck_require__.a = (module, body, hasAwait) => {
/******/ 		var queue;
/******/ 		hasAwait && ((queue = []).d = -1);
/******/ 		var depQueues = new Set();
/******/ 		var exports = module.exports;
/******/ 		var currentDeps;
/******/ 		var outerResolve;
/******/ 		var reject;
/******/ 		var promise = new Promise((resolve, rej) => {
/******/ 			reject = rej;
/******/ 			outerResolve = resolve;
/******/ 		});
/******/ 		promise[webpackExports] = exports;
/******/ 		promise[webpackQueues] = (fn) => (queue && fn(queue), depQueues.forEach(fn), promise["catch"](x => {}));
/******/ 		module.exports = promise;
/******/ 		body((deps) => {
/******/ 			currentDeps = wrapDeps(deps);
/******/ 			var fn;
/******/ 			var getResult = () => (currentDeps.map((d) => {
/******/ 				if(d[webpackError]) throw d[webpackError];
/******/ 				return d[webpackExports];
/******/ 			}))
/******/ 			var promise = new Promise((resolve) => {
/******/ 				fn = () => (resolve(getResult));
/******/ 				fn.r = 0;
/******/ 				var fnQueue = (q) => (q !== queue && !depQueues.has(q) && (depQueues.add(q), q && !q.d && (fn.r++, q.push(fn))));
/******/ 				currentDeps.map((dep) => (dep[webpackQueues](fnQueue)));
/******/ 			});
/******/ 			return fn.r ? promise : getResult();
/******/ 		}, (err) => ((err ? reject(promise[webpackError] = err) : outerResolve(exports)), resolveQueue(queue)));
/******/ 		queue && queue.d < 0 && (queue.d = 0);
/******/ 	};
/******/ })();
/******/ 
/******/ /* webpack/runtime/define property getters */
/******/ (() => {
/******/ 	// define getter functions for harmony exports
/******/ 	__nccwpck_require__.d = (exports, definition) => {
/******/ 		for(var key in definition) {
/******/ 			if(__nccwpck_require__.o(definition, key) && !__nccwpck_require__.o(exports, key)) {
/******/ 				Object.defineProperty(exports, key, { enumerable: true, get: definition[key] });
/******/ 			}
/******/ 		}
/******/ 	};
/******/ })();
/******/ 
/******/ /* webpack/runtime/hasOwnProperty shorthand */
/******/ (() => {
/******/ 	__nccwpck_require__.o = (obj, prop) => (Object.prototype.hasOwnProperty.call(obj, prop))
/******/ })();
/******/ 
/************************************************************************/
/******/ 
/******/ // startup
/******/ // Load entry module and return exports
/******/ // This entry module used 'module' so it can't be inlined
/******/ var __webpack_exports__ = __nccwpck_require__(952);
/******/ __webpack_exports__ = await __webpack_exports__;
/******/ 
