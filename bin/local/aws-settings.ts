import { devNull } from 'node:os';
import { type Credentials, localRegion } from './data-folder.ts';

const endpoints = ['DYNAMODB', 'S3', 'SQS', 'BEDROCK_RUNTIME', 'SECRETS_MANAGER'];
const kept = new Set(endpoints.map((service) => `AWS_ENDPOINT_URL_${service}`));

/**
 * Gives this process the AWS settings that a function has on Lambda, with the local stores' credentials: no profile,
 * configuration file or other setting of the user's shell has an effect. Returns the previous environment.
 */
export const isolateFromAws = (credentials: Credentials): NodeJS.ProcessEnv => {
  const { env } = process;
  const given = { ...env };
  for (const name of Object.keys(env)) if (name.startsWith('AWS_') && !kept.has(name)) delete env[name];
  env.AWS_REGION = localRegion;
  env.AWS_ACCESS_KEY_ID = credentials.accessKeyId;
  env.AWS_SECRET_ACCESS_KEY = credentials.secretAccessKey;
  env.AWS_CONFIG_FILE = devNull;
  env.AWS_SHARED_CREDENTIALS_FILE = devNull;
  env.AWS_EC2_METADATA_DISABLED = 'true';
  return given;
};
