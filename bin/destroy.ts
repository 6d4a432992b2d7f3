/**
 * `npm run destroy`: deletes a deployment. The table and the files of `prod` are retained. Buckets of other stages are
 * emptied first, because CloudFormation deletes only empty ones.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { CloudFormationClient, DescribeStackResourcesCommand } from '@aws-sdk/client-cloudformation';
import { DeleteObjectsCommand, paginateListObjectsV2, S3Client } from '@aws-sdk/client-s3';
import { deploymentName, readSettings, SettingsError } from '../lib/settings.ts';
import { exitCodes } from './command-line/exit-codes.ts';

const args = process.argv.slice(2);

/** Returns the context on the command line. As in CDK, the last value of a name wins. */
const contextIn = (words: string[]): Record<string, string> =>
  Object.fromEntries(
    words
      .filter((_, index) => /^(-c|--context)$/.test(words[index - 1] ?? ''))
      .map((word) => [word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)]),
  );

/** Returns the buckets of a deployment, which are in its nested stack Data. */
const bucketsOf = async (stack: string): Promise<string[]> => {
  const client = new CloudFormationClient({});
  const resourcesOf = async (StackName: string) =>
    (await client.send(new DescribeStackResourcesCommand({ StackName }))).StackResources ?? [];
  const nestedStacks = await resourcesOf(stack).catch((error: Error) => {
    if (error.name === 'ValidationError') return [];
    throw error;
  });
  const data = nestedStacks.find(({ LogicalResourceId }) => LogicalResourceId === 'Data')?.PhysicalResourceId;
  const resources = data ? await resourcesOf(data) : [];
  return resources.flatMap(({ ResourceType, PhysicalResourceId }) =>
    ResourceType === 'AWS::S3::Bucket' && PhysicalResourceId ? PhysicalResourceId : [],
  );
};

const empty = async (Bucket: string): Promise<void> => {
  const client = new S3Client({});
  for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket })) {
    const Objects = Contents.map(({ Key }) => ({ Key }));
    if (Objects.length > 0) await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } }));
  }
};

const context = contextIn(args);
const cdk = join(import.meta.dirname, '..', 'node_modules', 'aws-cdk', 'bin', 'cdk');
const forced = args.includes('--force') || args.includes('-f');

const fail = (sentence: string): never => {
  console.error(sentence);
  process.exit(exitCodes.usage);
};

/** Returns the settings of the stack, which `cdk destroy` synthesizes. */
const settingsOf = () => {
  try {
    return readSettings(context);
  } catch (error) {
    if (error instanceof SettingsError) return fail(error.message);
    throw error;
  }
};

if (!context.stage && !context.settings) {
  fail(
    'Name the deployment, as in: npm run destroy -- --context stage=dev --context appOrigin=https://app.example.com',
  );
}
const settings = settingsOf();
const name = deploymentName(settings);
if (settings.stage !== 'prod') {
  if (!forced) fail(`This deletes ${name} with its table and files. Add --force to do it.`);
  for (const bucket of await bucketsOf(name)) await empty(bucket);
}
const { status } = spawnSync(process.execPath, [cdk, 'destroy', ...args], { stdio: 'inherit' });
process.exit(status ?? 1);
