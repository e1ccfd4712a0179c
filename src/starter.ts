#!/usr/bin/env node
import { runProgram } from './cli/program';

/** What is still open after that long after the command's end is not waited for. */
const lingerMs = 1_000;

void runProgram(process.argv).finally(() => {
  setTimeout(() => process.exit(), lingerMs).unref();
});
