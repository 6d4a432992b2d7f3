// Node has these itself: the SDK's own, in JavaScript, are for a Node that was built without.
import { Hash } from '@smithy/core/serde';

export const Sha256 = Hash.bind(null, 'sha256');
export const Md5 = Hash.bind(null, 'md5');
export { Crc32Node as Crc32 } from '../../node_modules/@smithy/core/dist-es/submodules/checksum/crc32/Crc32Node.js';
