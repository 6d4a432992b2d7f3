import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { environment } from '../environment.ts';
import { wholeService } from '../service.ts';
import { Secret } from './secrets.ts';

const cipher = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/** Thrown for a text that was sealed for another owner or with another key, or was changed. */
class BrokenSealError extends Error {
  override readonly name = 'BrokenSealError';
}

/** Encrypts stored secrets for one owner: the table, its backups and its stream hold none that signs. */
export class SealedSecrets {
  readonly #key: Pick<Secret, 'read'>;

  constructor(key: Pick<Secret, 'read'>) {
    this.#key = key;
  }

  async seal(owner: string, secret: string): Promise<string> {
    const nonce = randomBytes(nonceBytes);
    const encryption = createCipheriv(cipher, await this.#keyBytes(), nonce).setAAD(Buffer.from(owner));
    const sealed = [encryption.update(secret, 'utf8'), encryption.final()];
    return Buffer.concat([nonce, ...sealed, encryption.getAuthTag()]).toString('base64');
  }

  /** Opens a secret. Throws a `BrokenSealError`, or the error for which the key cannot be read. */
  async open(owner: string, sealed: string): Promise<string> {
    const bytes = Buffer.from(sealed, 'base64');
    const key = await this.#keyBytes();
    try {
      const decryption = createDecipheriv(cipher, key, bytes.subarray(0, nonceBytes))
        .setAAD(Buffer.from(owner))
        .setAuthTag(bytes.subarray(-tagBytes));
      return decryption.update(bytes.subarray(nonceBytes, -tagBytes), undefined, 'utf8') + decryption.final('utf8');
    } catch (cause) {
      throw new BrokenSealError('The seal is broken.', { cause });
    }
  }

  /** Opens a secret; undefined where the seal is broken. Throws the error for which the key cannot be read: the caller tries again. */
  async openUnlessBroken(owner: string, sealed: string): Promise<string | undefined> {
    try {
      return await this.open(owner, sealed);
    } catch (error) {
      if (error instanceof BrokenSealError) return undefined;
      throw error;
    }
  }

  async #keyBytes() {
    return createHash('sha256')
      .update(await this.#key.read())
      .digest();
  }
}

export const sealedSecrets = /* @__PURE__ */ wholeService(
  () => new SealedSecrets(new Secret(environment.webhookEncryptionKey)),
  ['secretsmanager:GetSecretValue:webhookEncryption'],
);
