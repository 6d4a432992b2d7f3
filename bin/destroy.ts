/**
 * `npm run destroy`: deletes a deployment. The table and the files of `prod` are retained. Buckets of other stages are
 * emptied first, because CloudFormation deletes only empty ones.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { CloudFormationClient, DescribeStackResourcesCommand } from '@aws-sdk/client-cloudformation';
import { DeleteObjectsCommand, paginateListObjectsV2, S3Client } from '@aws-sdk/client-s3';
import { deploymentName, type Stage } from '../lib/settings.ts';
import { exitCodes } from './command-line/exit-codes.ts';

const args = process.argv.slice(2);

/** Returns the stage on the command line. As in CDK, the last one wins. */
const stageIn = (words: string[]): string | undefined =>
  words
    .findLast((word, index) => word.startsWith('stage=') && /^(-c|--context)$/.test(words[index - 1] ?? ''))
    ?.slice('stage='.length);

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

const stage = stageIn(args);
const cdk = join(import.meta.dirname, '..', 'node_modules', 'aws-cdk', 'bin', 'cdk');
const forced = args.includes('--force') || args.includes('-f');

if (!stage) {
  console.error(
    'Name the deployment, as in: npm run destroy -- --context stage=dev --context appOrigin=https://app.example.com',
  );
  process.exit(exitCodes.usage);
}
if (stage !== 'prod' && !forced) {
  console.error(
    `This deletes ${deploymentName({ stage: stage as Stage })} with its table and files. Add --force to do it.`,
  );
  process.exit(exitCodes.usage);
}
if (stage !== 'prod')
  for (const bucket of await bucketsOf(deploymentName({ stage: stage as Stage }))) await empty(bucket);
const { status } = spawnSync(process.execPath, [cdk, 'destroy', ...args], { stdio: 'inherit' });
process.exit(status ?? 1);
