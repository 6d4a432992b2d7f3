import { randomBytes } from 'node:crypto';
import { createAmazonBedrock } from '@ai-sdk/amazon-bedrock';
import { chatModel } from '../../functions/chat/bedrock.ts';
import { environment } from '../../functions/environment.ts';
import { AwsShell } from './aws-shell.ts';
import { startBedrock } from './bedrock.ts';
import { type Started, StartupError } from './started.ts';
import { startStripe, stripeCustomers } from './stripe.ts';
import { startVoicePlatforms, type VoicePlatforms } from './voice-platforms.ts';

type Start = <S extends Started>(part: Promise<S>) => Promise<S>;
type Environment = NodeJS.ProcessEnv;

/** Replaces the ARNs of secrets with the secrets, which AWS's usual chain of credentials can read. */
export const readSecrets = async (shell: Environment): Promise<void> => {
  const aws = new AwsShell(shell);
  for (const name of ['STRIPE_SECRET', 'CHAT_SIGNING_SECRET', 'ERASURE_SECRET', 'WEBHOOK_ENCRYPTION_KEY']) {
    const arn = shell[`${name}_ARN`];
    if (!arn) continue;
    delete process.env[`${name}_ARN`];
    const variable = name === 'STRIPE_SECRET' ? 'STRIPE_SECRET_KEY' : name;
    process.env[variable] ??= await aws.secret(arn).catch((error: Error) => {
      throw new StartupError(`The secret ${name}_ARN cannot be read: ${error.message}`);
    });
  }
};

/** Uses Stripe if its settings are given, and otherwise a fake with a customer that has invoices. */
export const connectStripe = async (start: Start): Promise<{ endpoint: string; customerId: string | null }> => {
  const { env } = process;
  if (env.STRIPE_SECRET_KEY || env.STRIPE_API_BASE) {
    env.STRIPE_SECRET_KEY ??= randomKey();
    return { endpoint: env.STRIPE_API_BASE ?? 'https://api.stripe.com', customerId: null };
  }
  const key = randomKey();
  const { endpoint } = await start(startStripe({ key }));
  env.STRIPE_SECRET_KEY = key;
  env.STRIPE_API_BASE = endpoint;
  return { endpoint, customerId: stripeCustomers.several };
};

/** Uses a fake of Vapi, which has not reported the ends of two demo calls, unless another API is given. */
export const connectPlatforms = async (start: Start): Promise<VoicePlatforms | undefined> => {
  if (process.env.VAPI_API_BASE) return undefined;
  const platforms = await start(startVoicePlatforms());
  process.env.VAPI_API_BASE = platforms.endpoint;
  return platforms;
};

const randomKey = () => `sk_test_${randomBytes(18).toString('hex')}`;

/**
 * Uses Amazon Bedrock if a model is given, with the region and credentials that AWS's usual chain finds in the user's
 * shell; the local credentials if only an endpoint is given; and otherwise a fake.
 */
export const connectBedrock = async (
  start: Start,
  shell: Environment,
): Promise<{ endpoint: string; model: string | null }> => {
  const { env } = process;
  const given = env.AWS_ENDPOINT_URL_BEDROCK_RUNTIME;
  if (env.CHAT_MODEL_ID) return { endpoint: await useBedrock(shell), model: env.CHAT_MODEL_ID };
  env.CHAT_MODEL_ID = 'fake-model';
  if (given) return { endpoint: given, model: env.CHAT_MODEL_ID };
  const { endpoint } = await start(startBedrock());
  env.AWS_ENDPOINT_URL_BEDROCK_RUNTIME = endpoint;
  return { endpoint, model: null };
};

const useBedrock = async (shell: Environment): Promise<string> => {
  const aws = new AwsShell(shell);
  const region = shell.AWS_REGION ?? shell.AWS_DEFAULT_REGION ?? (await aws.region().catch(() => 'us-east-1'));
  const endpoint = shell.AWS_ENDPOINT_URL_BEDROCK_RUNTIME ?? `https://bedrock-runtime.${region}.amazonaws.com`;
  const apiKey = shell.AWS_BEARER_TOKEN_BEDROCK;
  const access = apiKey ? { apiKey } : { credentialProvider: aws.credentials };
  const bedrock = createAmazonBedrock({ region, baseURL: endpoint, ...access });
  chatModel.get = () => bedrock(environment.chatModelId);
  return endpoint;
};
