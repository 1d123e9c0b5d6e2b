// Makes every attempt of a process to run node again fail: `node --require ./no-child.cjs`. NO_CHILD is the program that
// runs instead.

process.execPath = process.env.NO_CHILD;
