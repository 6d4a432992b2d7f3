import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { UsageError } from './usage-error.ts';

/** What a deployment tells of itself: the outputs of its stack, by name. */
export const outputsOf = async (stack: string, region?: string): Promise<Record<string, string>> => {
  const client = new CloudFormationClient(region ? { region } : {});
  try {
    const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName: stack }));
    return Object.fromEntries(
      (Stacks[0]?.Outputs ?? []).map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue]),
    );
  } catch (error) {
    if ((error as Error).name !== 'ValidationError') throw error;
    throw new UsageError(`There is no stack ${stack} in this region: npm run deploy makes one.`);
  }
};

/** The table of a deployment. */
export const tableOf = async (stack: string, region?: string): Promise<string> => {
  const { TableName } = await outputsOf(stack, region);
  if (!TableName) throw new UsageError(`The stack ${stack} is none of this service's: it has no output TableName.`);
  return TableName;
};
