import type { ChangeMaker } from '../domain/change-maker.ts';
import type { AnyEndpoint, Principal } from './endpoint.ts';

/** Returns who makes the changes of a request. Requests of voice platforms are signed, or have a key. */
export const makerOf = ({ caller }: AnyEndpoint, { uid, keyId, name }: Partial<Principal> = {}): ChangeMaker => ({
  uid,
  keyId,
  keyName: name,
  via: 'signature' in caller ? 'platform' : 'api',
});
