#!/usr/bin/env node
import { runProgram } from './cli/program';
import { calledBy, setCalledAs } from './cli/terminal/called-as';

/** What is still open after that long after the command's end is not waited for. */
const lingerMs = 1_000;

setCalledAs(calledBy(process.env));
void runProgram(process.argv).finally(() => {
  setTimeout(() => process.exit(), lingerMs).unref();
});
