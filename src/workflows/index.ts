export { gate } from './gate';
export { hunt } from './hunt';
export { sync } from './sync';
