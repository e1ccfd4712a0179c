export { gate } from './gate';
export { sync } from './sync';
