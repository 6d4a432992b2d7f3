import { Aws, Duration, Fn } from 'aws-cdk-lib';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import {
  AllowedMethods,
  CachePolicy,
  Distribution,
  Function as EdgeFunction,
  FunctionCode,
  FunctionEventType,
  FunctionRuntime,
  GeoRestriction,
  HttpVersion,
  type IOrigin,
  OriginProtocolPolicy,
  OriginRequestPolicy,
  OriginSslPolicy,
  SecurityPolicyProtocol,
  ViewerProtocolPolicy,
} from 'aws-cdk-lib/aws-cloudfront';
import { HttpOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import type { Construct } from 'constructs';
import { edgeSecretHeader } from '../functions/http/require-edge.ts';
import type { ApiStack } from './api-stack.ts';
import type { ChatStack } from './chat-stack.ts';
import { type DataStack, secretValueOf } from './data-stack.ts';
import { NamedNestedStack } from './named-nested-stack.ts';
import { viewerAddressHeader } from './service-function.ts';
import type { Settings } from './settings.ts';

/** CloudFront before API and chat, so that both have one address. Of the API and the chat it keeps nothing: every request goes through. */
export class EdgeStack extends NamedNestedStack {
  readonly distribution: Distribution;

  constructor(
    scope: Construct,
    id: string,
    parts: { data: DataStack; api: ApiStack; chat: { path: string; stack: ChatStack } | undefined },
    settings: Settings,
  ) {
    super(scope, id);
    const { data, api, chat } = parts;
    const { domain, webAclArn, allowedCountries } = settings;
    const [secret] = data.edgeSecrets;
    const originAt = (host: string) => originOf(host, secret ? { [edgeSecretHeader]: secretValueOf(secret) } : {});
    const apiOrigin = originAt(`${api.api.apiId}.execute-api.${Aws.REGION}.${Aws.URL_SUFFIX}`);
    this.distribution = new Distribution(this, 'Distribution', {
      comment: this.nestedStackParent?.stackName ?? id,
      defaultBehavior: passOn(apiOrigin),
      additionalBehaviors: {
        ...(chat && {
          [chat.path]: {
            ...passOn(originAt(hostOf(chat.stack.url.url))),
            functionAssociations: [{ function: this.#viewerAddress(), eventType: FunctionEventType.VIEWER_REQUEST }],
          },
        }),
        // Named after their content: they never change, and are the only thing that is kept.
        '/assets/*': {
          origin: apiOrigin,
          cachePolicy: CachePolicy.CACHING_OPTIMIZED,
          viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
        },
      },
      httpVersion: HttpVersion.HTTP2_AND_3,
      ...(domain && {
        minimumProtocolVersion: SecurityPolicyProtocol.TLS_V1_2_2021,
        domainNames: [domain.name],
        certificate: Certificate.fromCertificateArn(this, 'Certificate', domain.certificateArn),
      }),
      ...(webAclArn && { webAclId: webAclArn }),
      ...(allowedCountries.length > 0 && { geoRestriction: GeoRestriction.allowlist(...allowedCountries) }),
      enableLogging: true,
      logBucket: data.logs,
      logFilePrefix: 'edge/',
    });
  }

  /** Tells who called: to what lies behind the edge, every caller has the edge's address. What a caller says of it is lost. */
  #viewerAddress() {
    return new EdgeFunction(this, 'ViewerAddress', {
      runtime: FunctionRuntime.JS_2_0,
      code: FunctionCode.fromInline(
        `function handler(event) {
  event.request.headers['${viewerAddressHeader}'] = { value: event.viewer.ip };
  return event.request;
}`,
      ),
    });
  }
}

/** Everything passes, in both directions. A request by plain HTTP is refused rather than redirected: it has shown its key already. */
const passOn = (origin: IOrigin) => ({
  origin,
  allowedMethods: AllowedMethods.ALLOW_ALL,
  cachePolicy: CachePolicy.CACHING_DISABLED,
  originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
  viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
  compress: false,
});

const originOf = (host: string, customHeaders: Record<string, string>) =>
  new HttpOrigin(host, {
    customHeaders,
    protocolPolicy: OriginProtocolPolicy.HTTPS_ONLY,
    originSslProtocols: [OriginSslPolicy.TLS_V1_2],
    // A chat is silent for ten seconds at most, and an answer of the API comes within thirty.
    readTimeout: Duration.seconds(60),
    keepaliveTimeout: Duration.seconds(60),
    connectionAttempts: 2,
  });

/** The host of an address that is not known before it is deployed. */
const hostOf = (url: string) => Fn.select(2, Fn.split('/', url));
