/* The order of things: warm up, agree, measure, agree, answer. */
#include "lab.h"

int main(int argc, char **argv) {
    struct flags f = parse_args(argc, argv);
    struct app *app = app_new(&f);
    static struct tally warm, run;

    meet(&f, "READY");
    app_window(app, "warm", f.warmup_s, &warm);
    if (warm.succeeded == 0)
        give_up(COULD_NOT, "no request of the warm-up succeeded (%ld attempts): %s", warm.attempts, warm.groups[0].message);
    meet(&f, "WARM");
    app_window(app, "run", f.duration_s, &run);
    meet(&f, "DONE");
    tally_settle(&run);
    if (f.json)
        answer_json(&run, warm.attempts, app_tls(app));
    else
        answer_text(&run, f.variant->name, app_tls(app));
    app_free(app);
    tally_free(&warm);
    tally_free(&run);
    return DONE;
}
