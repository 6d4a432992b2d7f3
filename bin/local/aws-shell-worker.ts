import { parentPort } from 'node:worker_threads';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';

// This thread has the environment of the user's shell, where AWS's usual chain finds a region and credentials.
const { credentials, region } = new DynamoDBClient({}).config;

const fetchSecret = async (arn: string) => {
  const client = new SecretsManagerClient({ region: arn.split(':')[3] });
  return (await client.send(new GetSecretValueCommand({ SecretId: arn }))).SecretString;
};

const questions: Record<string, (arn: string) => Promise<unknown>> = {
  credentials: () => credentials(),
  region: () => region(),
  secret: fetchSecret,
};

parentPort?.on('message', async ({ id, question, arn }: { id: number; question: string; arn: string }) => {
  try {
    parentPort?.postMessage({ id, answer: await questions[question]?.(arn) });
  } catch (error) {
    parentPort?.postMessage({ id, error: (error as Error).message });
  }
});
