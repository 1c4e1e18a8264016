vcl 4.1;
backend default none;
sub vcl_recv { return (synth(200)); }
sub vcl_synth { set resp.body = "ok"; return (deliver); }
