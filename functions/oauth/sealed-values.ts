import { type SealedSecrets, sealedSecrets } from '../clients/sealed-secrets.ts';
import { isJsonObject } from '../domain/json.ts';
import { wholeService } from '../service.ts';

/** What is sealed. A value of one kind never opens as another. */
type SealedKind = 'client' | 'form' | 'code' | 'access token' | 'refresh token';

/** A longer text is not opened. The longest is a form with a state of control characters, which JSON spells with six each. */
const maxCharacters = 30_000;

/** Values that travel through browsers and clients, which can neither read nor change them. Each opens on every instance. */
export class SealedValues {
  readonly #secrets: Pick<SealedSecrets, 'seal' | 'openUnlessBroken'>;

  constructor(secrets: Pick<SealedSecrets, 'seal' | 'openUnlessBroken'>) {
    this.#secrets = secrets;
  }

  /** Returns a text of the characters of a URL. */
  async seal(kind: SealedKind, value: object): Promise<string> {
    return toUrlCharacters(await this.#secrets.seal(owner(kind), JSON.stringify(value)));
  }

  /** Returns the value; undefined for a text that is no sealed value of this kind. */
  async open<T extends object>(kind: SealedKind, text: string): Promise<T | undefined> {
    if (text.length > maxCharacters || !/^[\w-]+$/.test(text)) return undefined;
    const sealed = Buffer.from(text, 'base64url');
    // Another spelling of the same bytes is another text.
    if (sealed.toString('base64url') !== text) return undefined;
    const opened = await this.#secrets.openUnlessBroken(owner(kind), sealed.toString('base64'));
    const value: unknown = opened && JSON.parse(opened);
    return isJsonObject(value) ? (value as T) : undefined;
  }
}

const owner = (kind: SealedKind) => `oauth\n${kind}`;

const toUrlCharacters = (base64: string) => Buffer.from(base64, 'base64').toString('base64url');

export const sealedValues = /* @__PURE__ */ wholeService(
  () => new SealedValues(sealedSecrets.get()),
  sealedSecrets.permissions,
);
