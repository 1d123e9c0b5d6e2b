// Preloaded with CHILD_RECORD: adds a line with the id and the environment of each process to that file.

const { appendFileSync } = require('node:fs');

appendFileSync(process.env.CHILD_RECORD, `${JSON.stringify({ pid: process.pid, env: process.env })}\n`);
