package h2lab.client;

import com.google.protobuf.ByteString;
import com.google.protobuf.StringValue;
import h2lab.harness.Reply;
import h2lab.harness.Settings;
import h2lab.harness.Subject;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.internal.GrpcUtil;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import java.util.concurrent.CompletableFuture;

/** One channel; of the URL it takes host and port. A call blocks, as a generated blocking stub's does. */
final class Grpc implements Subject {
    private static final Metadata.Key<String> ID =
            Metadata.Key.of(Settings.ID_HEADER.toLowerCase(java.util.Locale.ROOT), Metadata.ASCII_STRING_MARSHALLER);

    /** Written by hand: a message of Google's own and one method need no generated code. */
    private static final MethodDescriptor<StringValue, StringValue> SAY = MethodDescriptor.<StringValue, StringValue>newBuilder()
            .setType(MethodDescriptor.MethodType.UNARY)
            .setFullMethodName(MethodDescriptor.generateFullMethodName("h2lab.Echo", "Say"))
            .setRequestMarshaller(ProtoUtils.marshaller(StringValue.getDefaultInstance()))
            .setResponseMarshaller(ProtoUtils.marshaller(StringValue.getDefaultInstance()))
            .build();

    private final ManagedChannel channel;

    Grpc(Settings settings, ManagedChannel channel) {
        if (!settings.h2()) {
            throw h2lab.harness.Failed.wrongUsage("gRPC needs --protocol h2");
        }
        this.channel = channel;
    }

    @Override
    public CompletableFuture<Reply> send(String id, byte[] body) {
        Metadata metadata = new Metadata();
        metadata.put(ID, id);
        Channel call = ClientInterceptors.intercept(channel, MetadataUtils.newAttachHeadersInterceptor(metadata));
        StringValue said = StringValue.newBuilder().setValueBytes(ByteString.copyFrom(body)).build();
        StringValue heard = ClientCalls.blockingUnaryCall(call, SAY, CallOptions.DEFAULT, said);
        return Subject.done(200, heard.getValueBytes().toByteArray(), "h2");
    }

    @Override
    public String library() {
        return "grpc-java " + GrpcUtil.getGrpcBuildVersion().getImplementationVersion();
    }
}
