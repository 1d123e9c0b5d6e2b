import connect from 'undici/lib/api/api-connect.js';
import request from 'undici/lib/api/api-request.js';
import Client from 'undici/lib/dispatcher/client.js';

// The main module of undici adds these methods, but also loads fetch, caches, and mocks, which
// takes as long as Node's own start. These paths are not covered by semantic versioning, so
// package.json pins the exact version.
Object.assign(Client.prototype, { connect, request });

export { Client };
