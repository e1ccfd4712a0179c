import { AStore } from './a-store';
import { holdsWhenKilled } from './kills';

// In an encrypted folder: test/store/encrypted/encrypted-rules.long.ts; in a bucket: test/store/s3/s3-snapshots.long.ts
holdsWhenKilled('a folder', async () => new AStore());
