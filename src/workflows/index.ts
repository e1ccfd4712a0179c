export { gate } from './gate';
export { hunt } from './hunt';
export { sync } from './sync';
export { watchAge } from './watch-age';
