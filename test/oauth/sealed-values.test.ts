import { expect, it } from 'vitest';
import { SealedSecrets } from '../../functions/clients/sealed-secrets.ts';
import { SealedValues } from '../../functions/oauth/sealed-values.ts';

const secrets = new SealedSecrets({ read: async () => 'the key of these tests' });
const values = new SealedValues(secrets);

it('a sealed value opens as what it is, spelled as it was', async () => {
  const sealed = await values.seal('code', { until: 1 });
  expect(await values.open('code', sealed)).toEqual({ until: 1 });
  for (const other of [`${sealed}=`, `${sealed}A`, sealed.slice(0, -1), sealed.slice(4), `${sealed}\n`, ''])
    expect(await values.open('code', other)).toBeUndefined();
});

it('a sealed value with any bit changed does not open', async () => {
  const sealed = await values.seal('code', { until: 1 });
  const bytes = Buffer.from(sealed, 'base64url');
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] as number) ^ 1;
    expect(await values.open('code', changed.toString('base64url')), `byte ${at}`).toBeUndefined();
  }
});

it('a sealed value of another deployment does not open', async () => {
  const other = new SealedValues(new SealedSecrets({ read: async () => 'another key' }));
  expect(await values.open('code', await other.seal('code', { until: 1 }))).toBeUndefined();
});

it('where the key cannot be read, a value is not taken for an invalid one', async () => {
  const sealed = await values.seal('refresh token', { generation: 1 });
  const read = () => Promise.reject(new Error('Secrets Manager answered 500'));
  const broken = new SealedValues(new SealedSecrets({ read }));
  await expect(broken.open('refresh token', sealed)).rejects.toThrow('Secrets Manager answered 500');
});
