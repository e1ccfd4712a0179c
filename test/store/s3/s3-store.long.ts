import { serverOfSuite } from './s3-server';
import { s3Site } from './s3-site';
import { storeRules } from '../store-rules';

const server = serverOfSuite();
storeRules('a store in a bucket', () => s3Site(server()));
storeRules('an encrypted store in a bucket', () => s3Site(server(), { encrypted: true }));
