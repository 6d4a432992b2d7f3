/**
 * `npm run destroy`: deletes a deployment. The table and the files of `prod` are retained. Buckets of other stages are
 * emptied first, because CloudFormation deletes only empty ones.
 */
import { CloudFormationClient, DescribeStackResourcesCommand } from '@aws-sdk/client-cloudformation';
import { DeleteObjectsCommand, paginateListObjectsV2, S3Client } from '@aws-sdk/client-s3';
import { deploymentName } from '../lib/settings.ts';
import { fail, parseContext, runCdk, toSettings } from './deployment/cdk.ts';

const words = process.argv.slice(2);

/** Returns the buckets of a deployment, which are in its nested stack Data. */
const listBuckets = async (stack: string): Promise<string[]> => {
  const client = new CloudFormationClient({});
  const listResources = async (StackName: string) =>
    (await client.send(new DescribeStackResourcesCommand({ StackName }))).StackResources ?? [];
  const nestedStacks = await listResources(stack).catch((error: Error) => {
    if (error.name === 'ValidationError') return [];
    throw error;
  });
  const data = nestedStacks.find(({ LogicalResourceId }) => LogicalResourceId === 'Data')?.PhysicalResourceId;
  const resources = data ? await listResources(data) : [];
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

const context = parseContext(words);
if (!context.stage && !context.settings) {
  fail(
    'Name the deployment, as in: npm run destroy -- --context stage=dev --context appOrigin=https://app.example.com',
  );
}
const settings = toSettings(context);
const name = deploymentName(settings);
if (settings.stage !== 'prod') {
  const isForced = words.includes('--force') || words.includes('-f');
  if (!isForced) fail(`This deletes ${name} with its table and files. Add --force to do it.`);
  for (const bucket of await listBuckets(name)) await empty(bucket);
}
runCdk('destroy', words);
