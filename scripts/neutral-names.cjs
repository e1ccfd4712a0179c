// Loaded before the demo by scripts/pictures.mjs: a picture in the documentation names no real person or machine.
const os = require('node:os');

const userInfo = os.userInfo;
os.userInfo = (...options) => ({ ...userInfo(...options), username: 'operator' });
os.hostname = () => 'gis-app01';
