import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { callerMarkHeader, type InnerCall, readCallerMark } from '../domain/caller-mark.ts';
import { environment } from '../environment.ts';

/** Returns the part of the service that sends this request, if any. */
export const readInnerCall = ({ headers }: Pick<APIGatewayProxyEventV2, 'headers'>): InnerCall | undefined => {
  const { [callerMarkHeader]: mark, 'x-authorization': apiKey } = headers;
  return mark && apiKey ? readCallerMark(mark, environment.callerMarkSecrets, apiKey) : undefined;
};
