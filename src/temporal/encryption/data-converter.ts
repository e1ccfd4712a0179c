import type { DataConverter } from '@temporalio/common';
import type { EncryptionKeys } from '../../config/temporal/encryption-keys';
import { EncryptingCodec } from './payload-codec';

/** Without keys: what is encrypted is named as that, and never taken for something else. */
export const NO_KEYS: EncryptionKeys = { keys: [] };

/** What goes to Temporal, and comes from there, goes through this. */
export const dataConverterOf = (encryption: EncryptionKeys): DataConverter => ({
  payloadCodecs: [new EncryptingCodec(encryption)],
  ...(encryption.writing && { failureConverterPath: require.resolve('./encoded-failures') }),
});
