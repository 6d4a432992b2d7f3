import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { CommandError } from '../command-line/exit-codes.ts';

/** Returns the outputs of a deployment's stack by name. */
export const outputsOf = async (stack: string, region?: string): Promise<Record<string, string>> => {
  const client = new CloudFormationClient(region ? { region } : {});
  try {
    const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName: stack }));
    return Object.fromEntries(
      (Stacks[0]?.Outputs ?? []).map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue]),
    );
  } catch (error) {
    if ((error as Error).name !== 'ValidationError') throw error;
    throw new CommandError(`There is no stack ${stack} in this region. npm run deploy creates one.`);
  }
};

/** Returns one output of a deployment's stack. */
export const outputOf = async (stack: string, name: 'TableName' | 'BaseUrl', region?: string): Promise<string> => {
  const value = (await outputsOf(stack, region))[name];
  if (!value) throw new CommandError(`The stack ${stack} is not a stack of this service: it has no output ${name}.`);
  return value;
};
