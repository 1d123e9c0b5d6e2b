/**
 * The parts of undici that the action uses. Its main module also loads fetch, caches, and mocks, which takes as long as
 * node's own start. These paths are not covered by semantic versioning, so package.json pins the exact version.
 */

import connect from 'undici/lib/api/api-connect.js';
import request from 'undici/lib/api/api-request.js';
import Client from 'undici/lib/dispatcher/client.js';

export { Client, connect, request };
