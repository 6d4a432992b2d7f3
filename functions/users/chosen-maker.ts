import type { Principal } from '../http/endpoint.ts';

/** Returns the user whose clients a key administers. Undefined: the key is the operator's, which administers every user. */
export const chooseMaker = ({ uid, isOperators }: Principal): string | undefined => (isOperators ? undefined : uid);
