import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { listen } from '../../bin/local/listen.ts';

/** Starts CloudFormation as far as DescribeStacks goes, with one stack that has these outputs. */
export const startCloudFormation = (stackName: string, outputs: Record<string, string>) =>
  listen(
    createServer(async (request, response) => {
      const wanted = new URLSearchParams(await text(request)).get('StackName');
      response.setHeader('content-type', 'text/xml');
      if (wanted !== null && wanted !== stackName) {
        const error = `<Code>ValidationError</Code><Message>Stack with id ${wanted} does not exist</Message>`;
        return response.writeHead(400).end(`<ErrorResponse><Error>${error}</Error></ErrorResponse>`);
      }
      const members = Object.entries(outputs).map(
        ([name, value]) => `<member><OutputKey>${name}</OutputKey><OutputValue>${value}</OutputValue></member>`,
      );
      const stack = `<member><StackName>${stackName}</StackName><Outputs>${members.join('')}</Outputs></member>`;
      response.end(
        `<DescribeStacksResponse><DescribeStacksResult><Stacks>${stack}</Stacks></DescribeStacksResult></DescribeStacksResponse>`,
      );
    }),
  );
