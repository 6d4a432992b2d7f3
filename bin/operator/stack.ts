import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { CommandError, exitCodes } from '../command-line/exit-codes.ts';

const stackClient = (region: string | undefined) => new CloudFormationClient(region ? { region } : {});

/** Returns the outputs of a deployment's stack by name, or undefined without such a stack. */
export const findOutputs = async (stack: string, region?: string): Promise<Record<string, string> | undefined> => {
  try {
    const { Stacks = [] } = await stackClient(region).send(new DescribeStacksCommand({ StackName: stack }));
    return Object.fromEntries(
      (Stacks[0]?.Outputs ?? []).map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue]),
    );
  } catch (error) {
    if ((error as Error).name === 'ValidationError') return undefined;
    throw error;
  }
};

/** Returns the outputs of a deployment's stack by name. */
export const readOutputs = async (stack: string, region?: string): Promise<Record<string, string>> => {
  const outputs = await findOutputs(stack, region);
  if (!outputs) throw await noSuchStack(stack, region);
  return outputs;
};

/** Returns one output of a deployment's stack. */
export const readOutput = async (stack: string, name: 'TableName' | 'BaseUrl', region?: string): Promise<string> => {
  const value = (await readOutputs(stack, region))[name];
  if (!value) throw new CommandError(`The stack ${stack} is not a stack of this service: it has no output ${name}.`);
  return value;
};

/** Returns the names of the deployments in a region. */
export const deployments = async (region: string | undefined): Promise<string[]> => {
  const { Stacks = [] } = await stackClient(region).send(new DescribeStacksCommand());
  const ours = Stacks.filter(({ Outputs }) => Outputs?.some(({ OutputKey }) => OutputKey === 'TableName'));
  return ours.map(({ StackName = '' }) => StackName);
};

/** Creates the error for a missing deployment. It names the existing deployments, since a typing error is likely. */
const noSuchStack = async (stack: string, region: string | undefined) => {
  const others = (await deployments(region).catch(() => [])).join(', ');
  return new CommandError(
    `There is no stack ${stack} in this region. ${others ? `There are: ${others}.` : 'npm run deploy creates one.'}`,
    exitCodes.failed,
    'stack_not_found',
  );
};
