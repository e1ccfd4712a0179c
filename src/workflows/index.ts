export { backup } from './backup';
export { drill } from './drill';
export { gate } from './gate';
export { hunt } from './hunt';
export { restore } from './restore';
export { rollback } from './rollback';
export { sync } from './sync';
export { watchAge } from './watch-age';
