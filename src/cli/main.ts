#!/usr/bin/env node
import { constants } from 'node:os';
import { runProgram } from './program';
import { calledBy, setCalledAs } from './terminal/command-name';

/** How long open connections may delay the end of a command. */
const lingerMs = 1_000;

// `portolan run list | head`: the reader has closed the pipe. Exit like a program stopped by SIGPIPE.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(128 + constants.signals.SIGPIPE);
  });

setCalledAs(calledBy(process.env));
void runProgram(process.argv).finally(() => {
  setTimeout(() => process.exit(), lingerMs).unref();
});
