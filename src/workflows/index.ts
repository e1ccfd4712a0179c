export { sync } from './sync';
