/* The charts of `yoke report`: an SVG, and a page of its own with the same data and a few lines of script. */
#include "cli/report.h"

enum { WIDTH = 1200, LEFT = 220, ROW = 26, TOP = 34 };

static const char *const colours[] = {"#4878a8", "#e08a3c", "#5a9e5a", "#b05a8a",
                                      "#8a7ab8", "#a88048", "#58a8a8", "#c05050"};

void yk_report_escape(const char *text, FILE *to)
{
    for (; *text; text++)
        switch (*text) {
        case '<':
            fputs("&lt;", to);
            break;
        case '>':
            fputs("&gt;", to);
            break;
        case '&':
            fputs("&amp;", to);
            break;
        case '"':
            fputs("&quot;", to);
            break;
        case '\'':
            fputs("&#39;", to);
            break;
        default:
            fputc(*text, to);
        }
}

static unsigned hash(const char *s)
{
    unsigned h = 5381;
    for (; *s; s++)
        h = h * 33 + (unsigned char)*s;
    return h % (sizeof colours / sizeof *colours);
}

static const char *colour(const struct yk_report_span *s)
{
    return s->kind == 'c'   ? "#999999"
           : s->kind == 'm' ? "#c0a030"
           : s->kind == 'd' ? "#404040"
                            : colours[hash(s->name)];
}

/* Rows in the order of the tracks that have a name; -1: none. */
static int row_of(const struct yk_report *r, int track)
{
    int row = 0;
    if (!r->track[track][0])
        return -1;
    for (int t = 0; t < track; t++)
        row += r->track[t][0] != 0;
    return row;
}

static int rows_of(const struct yk_report *r)
{
    int rows = 0;
    for (size_t t = 0; t < sizeof r->track / sizeof *r->track; t++)
        rows += r->track[t][0] != 0;
    return rows;
}

void yk_report_svg(const struct yk_report *r, FILE *to)
{
    int rows = rows_of(r), height = TOP + rows * ROW + 30;
    double scale = r->end_ms > 0 ? (WIDTH - LEFT - 20) / r->end_ms : 0;
    fprintf(to,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
            "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"%d\" height=\"%d\" fill=\"white\"/>\n",
            WIDTH, height, WIDTH, height, WIDTH, height);
    for (size_t t = 0; t < sizeof r->track / sizeof *r->track; t++) {
        int row = row_of(r, (int)t);
        if (row < 0)
            continue;
        fprintf(to, "<text x=\"6\" y=\"%d\">", TOP + row * ROW + 17);
        char name[40];
        snprintf(name, sizeof name, "%.34s", r->track[t]);
        yk_report_escape(name, to);
        fprintf(to, "</text>\n<line x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\" stroke=\"#dddddd\"/>\n", LEFT, WIDTH - 20,
                TOP + (row + 1) * ROW, TOP + (row + 1) * ROW);
    }
    for (int i = 0; i <= 8; i++) {
        double x = LEFT + i * (WIDTH - LEFT - 20) / 8.0;
        fprintf(to,
                "<text x=\"%.1f\" y=\"20\" text-anchor=\"middle\">%.3g ms</text>\n"
                "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"26\" y2=\"%d\" stroke=\"#eeeeee\"/>\n",
                x, r->end_ms * i / 8, x, x, TOP + rows * ROW);
    }
    for (size_t i = 0; i < r->spans; i++) {
        const struct yk_report_span *s = &r->span[i];
        int row = row_of(r, s->track);
        if (row < 0)
            continue;
        double w = s->ms * scale;
        fprintf(to, "<rect x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"%d\" fill=\"%s\"><title>",
                LEFT + s->start * scale, TOP + row * ROW + 3, w > 0.5 ? w : 0.5, ROW - 6, colour(s));
        yk_report_escape(s->name, to);
        fprintf(to, ": %.3f ms", s->ms);
        if (s->groups > 0)
            fprintf(to, ", %.0f work-groups", s->groups);
        if (s->predicted > 0)
            fprintf(to, ", predicted %.3f ms", s->predicted);
        if (s->bytes > 0)
            fprintf(to, ", %.0f bytes", s->bytes);
        fputs("</title></rect>\n", to);
    }
    fputs("</svg>\n", to);
}

static const char page_script[] =
    "const c=document.getElementById('c'),x=c.getContext('2d'),L=220,H=26,T=30;let a=0,b=D.end||1;\n"
    "function col(s){return s.k=='c'?'#999':s.k=='m'?'#c0a030':s.k=='d'?'#404040':s.c}\n"
    "function draw(){c.width=c.clientWidth;c.height=T+H*D.rows.length+6;const w=(c.width-L-10)/(b-a);x.font='12px "
    "sans-serif';\n"
    "x.clearRect(0,0,c.width,c.height);D.spans.forEach(s=>{const p=L+(s.t-a)*w,q=s.d*w;if(p+q<L||p>c.width)return;\n"
    "x.fillStyle=col(s);const l=Math.max(p,L);x.fillRect(l,T+s.r*H+3,Math.max(p+q-l,.7),H-6)});x.fillStyle='#000';\n"
    "D.rows.forEach((n,i)=>x.fillText(n.slice(0,34),4,T+i*H+17));for(let i=0;i<=8;i++){const t=a+(b-a)*i/8;\n"
    "x.fillText(t.toPrecision(4)+' ms',L+(c.width-L-60)*i/8,16)}}\n"
    "function at(e){return a+(b-a)*(e.offsetX-L)/(c.width-L-10)}\n"
    "c.onwheel=e=>{e.preventDefault();const "
    "t=at(e),f=e.deltaY>0?1.25:.8;a=Math.max(0,t-(t-a)*f);b=Math.min(D.end,t+(b-t)*f);draw()};\n"
    "let g=null;c.onmousedown=e=>g=e.offsetX;onmouseup=()=>g=null;c.ondblclick=()=>{a=0;b=D.end;draw()};\n"
    "c.onmousemove=e=>{if(g!==null){const "
    "d=(g-e.offsetX)*(b-a)/(c.width-L-10);if(a+d>=0&&b+d<=D.end){a+=d;b+=d}g=e.offsetX;draw();return}\n"
    "const t=at(e),r=Math.floor((e.offsetY-T)/H),m=(b-a)/c.width*2;\n"
    "const "
    "s=D.spans.filter(s=>s.r==r&&t>=s.t-m&&t<=s.t+s.d+m).pop();document.getElementById('i').textContent=s?s.i:''};\n"
    "onresize=draw;draw();\n";

/* A string literal of a script inside a page: nothing in it can end either. */
static void script_text(const char *s, FILE *to)
{
    fputc('"', to);
    for (; *s; s++) {
        unsigned char ch = (unsigned char)*s;
        if (ch < 32 || ch == '"' || ch == '\\' || ch == '<' || ch == '>' || ch == '&' || ch > 126)
            fprintf(to, "\\x%02x", ch);
        else
            fputc(ch, to);
    }
    fputc('"', to);
}

static void page_data(const struct yk_report *r, FILE *to)
{
    fprintf(to, "const D={end:%.6f,rows:[", r->end_ms);
    for (size_t t = 0; t < sizeof r->track / sizeof *r->track; t++)
        if (r->track[t][0]) {
            script_text(r->track[t], to);
            fputc(',', to);
        }
    fputs("],spans:[", to);
    for (size_t i = 0; i < r->spans; i++) {
        const struct yk_report_span *s = &r->span[i];
        char info[512];
        int row = row_of(r, s->track);
        if (row < 0)
            continue;
        snprintf(info, sizeof info, "%.200s: %.3f ms, launch %lld, %.0f work-groups, predicted %.3f ms, %.0f bytes",
                 s->name, s->ms, s->launch, s->groups, s->predicted, s->bytes);
        fprintf(to, "{r:%d,k:'%c',t:%.6f,d:%.6f,c:'%s',i:", row,
                s->kind == 'c' || s->kind == 'm' || s->kind == 'd' ? s->kind : 'r', s->start, s->ms, colour(s));
        script_text(info, to);
        fputs("},\n", to);
    }
    fputs("]};\n", to);
}

void yk_report_html(const struct yk_report *r, FILE *to)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>yoke report</title><style>\n"
          "body{font:14px sans-serif;margin:16px}canvas{width:100%;border:1px solid #ccc}td,th{padding:3px "
          "10px;text-align:left;"
          "border-bottom:1px solid #ddd;vertical-align:top}#i{height:1.4em;color:#444}table{border-collapse:collapse}\n"
          "</style></head><body>\n<h1>yoke report</h1>\n<canvas id=\"c\"></canvas><div id=\"i\"></div>"
          "<p>Wheel: zoom. Drag: move. Double click: all.</p>\n"
          "<table id=\"kernels\"><tr><th>kernel</th><th>launches</th><th>split</th><th>shares</th><th>predicted / real "
          "ms</th>"
          "<th>efficiency</th><th>MB moved</th><th>whole, and why</th></tr>\n",
          to);
    for (size_t i = 0; i < r->kernels; i++) {
        const struct yk_report_kernel *k = &r->kernel[i];
        double all = 0;
        fputs("<tr><td>", to);
        yk_report_escape(k->name, to);
        fprintf(to, "</td><td>%u</td><td>%u</td><td>", k->launches, k->split);
        for (unsigned d = 0; d < r->devices; d++)
            all += k->groups[d];
        for (unsigned d = 0; d < r->devices && all > 0; d++)
            fprintf(to, "%s%.1f %%", d ? " | " : "", 100 * k->groups[d] / all);
        fprintf(to, "</td><td>%.3f / %.3f</td><td>", k->predicted_ms, k->predicted_real_ms);
        if (k->real_ms > 0)
            fprintf(to, "%.3f", k->ideal_ms / k->real_ms);
        fprintf(to, "</td><td>%.3f</td><td>", k->bytes / 1e6);
        for (unsigned j = 0; j < k->reasons; j++) {
            fprintf(to, "%s%u: ", j ? "<br>" : "", k->reason[j].n);
            yk_report_escape(k->reason[j].text, to);
        }
        fputs("</td></tr>\n", to);
    }
    fputs("</table>\n<script>\n", to);
    page_data(r, to);
    fputs(page_script, to);
    fputs("</script></body></html>\n", to);
}
